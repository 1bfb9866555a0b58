'use client';
/** One lock or one semaphore, for readers. */
import { usePlaces } from '@/components/list/stable-order';
import { useNow, useZone } from '@/components/live/clock';
import { Lamp } from '@/components/marks/lamp';
import { capabilities, freeOf } from '@/lib/domain/capabilities';
import type { Finding } from '@/lib/domain/findings/finding';
import { needsHuman } from '@/lib/domain/findings/need';
import { holdersOf, unlistedHolders } from '@/lib/domain/holders';
import type { Lock, Semaphore } from '@/lib/domain/model';
import { waitingSentence } from '@/lib/i18n/holding';
import { findingText, lockSentence, semaphoreSentence } from '@/lib/i18n/sentences';
import { lampsOf } from '@/lib/view/board-rows';
import { EmbedHolder, EmbedWaiters, ValueLine } from './party';
import { useEmbedWords } from './words';

const noFindings: readonly Finding[] = [];

interface StateProps {
  readonly of: Lock | Semaphore;
  readonly findings?: readonly Finding[];
}

/** The state in one sentence. */
export function StateSentence({ of, findings = noFindings }: StateProps) {
  const m = useEmbedWords();
  const moment = { nowMs: useNow(), zone: useZone() };
  return (
    <>
      {of.kind === 'lock'
        ? lockSentence(of, moment, m, findings)
        : semaphoreSentence(of, moment, m, findings)}
    </>
  );
}

/** Lamps shown before the rest is only counted. */
const lampsMax = 24;

/** Each slot keeps its place while its holder stays. */
export function EmbedLamps({
  of,
  max = lampsMax,
  size = 14,
}: {
  of: Lock | Semaphore;
  max?: number;
  size?: number;
}) {
  const m = useEmbedWords();
  const lamps = usePlaces(lampsOf(of));
  const words = { ...m.verdicts, ...m.lampWords };
  const shown = lamps.length <= max ? lamps : lamps.slice(0, max - 1);
  const more = lamps.length - shown.length + (of.kind === 'lock' ? 0 : unlistedHolders(of));
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      <span className="sr-only">{shown.map((lamp) => words[lamp.kind].word).join(', ')}</span>
      {shown.map((lamp, slot) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the place is the identity here.
        <Lamp key={slot} kind={lamp.kind} holder={lamp.id} size={size} />
      ))}
      {more > 0 ? <span className="text-[12px] text-ink-dim">+{more}</span> : null}
    </span>
  );
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <section>
      <h2 className="mb-1 text-[12px] text-ink-dim">{title}</h2>
      {children}
    </section>
  );
}

/** True when an empty list of waiters would say more than is known. */
const isUntold = (of: Lock | Semaphore) =>
  of.waiters === null || (of.kind === 'lock' && of.state === 'unknown' && of.waiters.length === 0);

interface SubjectProps {
  readonly of: Lock | Semaphore;
  readonly findings: readonly Finding[];
  readonly compact: boolean;
}

export function EmbedSubject({ of, findings, compact }: SubjectProps) {
  const m = useEmbedWords();
  const { sections } = m.embed;
  const holders = holdersOf(of);
  const { holds, waiters } = capabilities[of.layout];
  const { none, holding } = m.subject;
  const urgent = findings.filter(needsHuman);
  return (
    <>
      {of.kind === 'semaphore' ? <EmbedLamps of={of} size={compact ? 14 : 18} /> : null}
      {urgent.length === 0 ? null : (
        <Part title={sections.findings}>
          <ul className="flex flex-col gap-1 text-[13px]">
            {urgent.map((finding) => (
              <li key={finding.id} className={finding.severity === 'urgent' ? 'text-danger' : 'text-caution'}>
                <span aria-hidden="true">{finding.severity === 'urgent' ? '▲' : '△'} </span>
                {findingText(finding, m)}
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Part title={of.kind === 'semaphore' ? sections.holders : sections.holder}>
        {holders.length === 0 ? (
          <p className="text-[13px] text-ink-soft">
            {of.kind === 'semaphore' && freeOf(of) !== undefined
              ? of.layout === 'redisson-latch'
                ? none.leases
                : holding.free.holders
              : of.kind === 'lock'
                ? of.state === 'unknown'
                  ? holding.unknown
                  : holds === 'session'
                    ? m.embed.noHolder
                    : none.leases
                : of.recorded === null
                  ? m.embed.holdersUnread
                  : holds === 'session'
                    ? m.embed.noHolders
                    : none.leases}
          </p>
        ) : (
          <ul>
            {holders.map((holder) => (
              <EmbedHolder key={holder.sessionId} holder={holder} compact={compact} holds={holds} />
            ))}
          </ul>
        )}
        {of.kind === 'lock' || unlistedHolders(of) === 0 ? null : (
          <p className="text-[13px] text-ink-soft">{m.embed.unlisted(unlistedHolders(of))}</p>
        )}
      </Part>
      <Part title={sections.waiters}>
        {waiters === 'counted' || (holds !== 'session' && isUntold(of)) ? (
          <p className="text-[13px] text-ink-soft">{waitingSentence(of, m)}</p>
        ) : of.waiters === null ? (
          <p className="text-[13px] text-ink-soft">{m.embed.waitersUnseen}</p>
        ) : (
          <EmbedWaiters waiters={of.waiters} part={of.kind === 'semaphore' && of.part === true} />
        )}
      </Part>
      <ValueLine value={of.value} />
    </>
  );
}
