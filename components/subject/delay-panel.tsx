'use client';
/**
 * Explains why a free lock cannot be taken: which session ended, when, how long Consul refuses the key, and what is
 * unknown.
 */
import { useAllMessages } from '@/components/dom/locale';
import { useNow, useZone, When } from '@/components/live/clock';
import { useSourceState } from '@/components/live/sources';
import { SessionId } from '@/components/marks/session-id';
import { Fact, Facts, Section } from '@/components/ui/section';
import { type Lock, type LockDelay, shortId } from '@/lib/domain/model';
import type { LockRef } from '@/lib/domain/subject';
import { formatDuration, formatRest, formatWhen } from '@/lib/i18n/format/format';
import type { SeenDelay } from './last-seen';
import { ProbeButton } from './probe-button';

/** Consul's longest delay for any session (`MaxLockDelay`). */
const delayMsMax = 60_000;
/** Layouts of Go clients, which retry every five seconds (`DefaultLockRetryTime`). */
const goRetries: ReadonlySet<Lock['layout']> = new Set([
  'go-lock',
  'consul-lock',
  'terraform',
  'vault',
  'consul-esm',
]);

interface DelayPanelProps {
  readonly of: LockRef;
  readonly lock: Lock | null;
  readonly seen?: SeenDelay | null;
  readonly canAsk: boolean;
}

/**
 * The lock-delay of a lock without a holder. `lock`: `null` for a key that is not in view, with the delay that this
 * page saw before. `canAsk`: the provider can give the exact answer.
 */
export function DelayPanel({ of, lock, seen = null, canAsk }: DelayPanelProps) {
  const { delay: texts } = useAllMessages();
  const delay = lock === null ? (seen?.delay ?? null) : lock.delay;
  const layout = lock?.layout ?? seen?.layout ?? 'plain';
  return (
    <Section title={lock?.state === 'delayed' ? texts.title : texts.titleFree}>
      <div className="flex max-w-[72ch] flex-col gap-3 text-[13px]">
        {delay === null ? null : <Known delay={delay} layout={layout} exists={lock?.exists === true} />}
        {lock === null && delay === null ? (
          <p className="text-ink-soft">{texts.notInView}</p>
        ) : (
          <NotKnown delay={delay} />
        )}
        {canAsk ? <ProbeButton of={of} /> : null}
      </div>
    </Section>
  );
}

interface KnownProps {
  readonly delay: LockDelay;
  readonly layout: Lock['layout'];
  readonly exists: boolean;
}

function Known({ delay, layout, exists }: KnownProps) {
  const { delay: texts, units } = useAllMessages();
  const nowMs = useNow();
  const zone = useZone();
  const at = formatWhen(delay.untilMs, nowMs, zone);
  const over = delay.untilMs <= nowMs;
  const length = formatDuration(delay.lengthMs, units);
  const ended = texts.ended(
    delay.sessionName || shortId(delay.sessionId),
    delay.node,
    formatWhen(delay.seenAtMs, nowMs, zone),
  );
  if (delay.basis === 'possible')
    return <p className="text-ink">{[ended, texts.possible(at)].join(texts.gap)}</p>;
  return (
    <>
      <p className="text-ink">
        {[
          ended,
          ...(over
            ? [texts.overNow(length, at)]
            : [texts.refused(length), texts.over(at, formatRest(delay.untilMs, nowMs, units))]),
          ...(goRetries.has(layout) && (exists || !over) ? [texts.retry] : []),
        ].join(texts.gap)}
      </p>
      <Facts>
        <Fact name={texts.facts.session}>
          <SessionId id={delay.sessionId} />
        </Fact>
        <Fact name={texts.facts.seen}>
          <When atMs={delay.seenAtMs} />
        </Fact>
        <Fact name={texts.facts.length}>{length}</Fact>
        <Fact name={texts.facts.over}>
          <When atMs={delay.untilMs} />
        </Fact>
        {over ? null : (
          <Fact name={texts.facts.rest}>
            <span className="font-medium tabular-nums">{formatRest(delay.untilMs, nowMs, units)}</span>
          </Fact>
        )}
      </Facts>
      {exists || over ? null : <p className="text-ink">{texts.gone}</p>}
    </>
  );
}

/** The panel's sources, and their limits. */
function NotKnown({ delay }: { delay: LockDelay | null }) {
  const { delay: texts } = useAllMessages();
  const { endsSeenSinceMs: since, datacenter, across } = useSourceState();
  const nowMs = useNow();
  const zone = useZone();
  const lines: string[] = [];
  if (delay !== null) lines.push(texts.derived);
  if (delay?.basis === 'likely') lines.push(texts.likely);
  if (since === null) {
    if (delay === null) lines.push(texts.blind);
  } else {
    const from = formatWhen(since, nowMs, zone);
    if (delay === null) lines.push(texts.noneSince(from));
    const before = since + delayMsMax;
    if (before > nowMs && before > (delay?.untilMs ?? 0))
      lines.push(texts.unseenUntil(from, formatWhen(before, nowMs, zone)));
  }
  if (across !== undefined && datacenter !== null) lines.push(texts.across(datacenter, across.from));
  return <p className="text-ink-soft">{lines.join(texts.gap)}</p>;
}
