'use client';
/** A holder as a reader sees it: verdict, meaning, since, ends, evidence. */
import { useNow, useZone } from '@/components/live/clock';
import { Lamp } from '@/components/marks/lamp';
import type { Capabilities } from '@/lib/domain/capabilities';
import type { Evidence, Holder, Party, StoredValue } from '@/lib/domain/model';
import { formatWhen } from '@/lib/i18n/format/format';
import { expiryWords, sinceWords, verdictMeaning } from '@/lib/i18n/sentences';
import { clippedValue } from '@/lib/view/clipped-value';
import { Breaking } from './breaking';
import { useEmbedWords } from './words';

interface HolderProps {
  readonly holder: Holder;
  readonly compact: boolean;
  readonly holds: Capabilities['holds'];
}

export function EmbedHolder({ holder, compact, holds }: HolderProps) {
  const m = useEmbedWords();
  const moment = { nowMs: useNow(), zone: useZone() };
  const since = sinceWords(holder.since, moment, m);
  return (
    <li className="flex gap-2.5 border-line border-b py-2 last:border-b-0">
      <Lamp kind={holder.verdict} size={compact ? 14 : 18} className="lamp-lit mt-0.5" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-semibold" title={holder.sessionId}>
            <Breaking text={holder.label} />
          </span>
          {holder.mode === undefined ? null : (
            <span className="text-ink-soft">{m.subject.holding.modes[holder.mode]}</span>
          )}
          <span className="text-ink-soft">{m.verdicts[holder.verdict].word}</span>
          {holder.session === null ? null : (
            <span className="text-[12px] text-ink-dim">
              {m.embed.node} {holder.session.node}
            </span>
          )}
        </p>
        {compact ? null : (
          <p className="max-w-[68ch] text-[13px] text-ink-soft">{verdictMeaning(holder, m, holds)}</p>
        )}
        <p className="flex flex-wrap gap-x-4 text-[12px] text-ink-soft">
          <span title={since?.basis}>
            {m.embed.since} {since?.short ?? m.since.unknown}
          </span>
          <span>
            {m.embed.ends}: {expiryWords(holder, moment, m, holds).short}
          </span>
        </p>
        <ValueLine value={holder.value} />
        <details className="text-[12px]">
          <summary className="cursor-pointer text-ink-dim">
            {m.embed.evidence(holder.evidence.length)}
          </summary>
          <ul className="mt-1 flex flex-col gap-0.5 text-ink-soft">
            {holder.evidence.map((fact) => (
              <li key={`${fact.code} ${fact.detail}`} className="wrap-anywhere">
                <EvidenceWords fact={fact} />
              </li>
            ))}
          </ul>
        </details>
      </div>
    </li>
  );
}

function EvidenceWords({ fact }: { fact: Evidence }) {
  const m = useEmbedWords();
  const nowMs = useNow();
  const zone = useZone();
  const at = fact.atMs === null ? null : formatWhen(fact.atMs, nowMs, zone);
  return (
    <>
      {m.evidence[fact.code](fact.detail, at)}{' '}
      <span className="text-ink-dim">({m.evidenceSources[fact.source] ?? fact.source})</span>
    </>
  );
}

/** The value, only where the grant includes values; a long one is cut, with its share. */
export function ValueLine({ value }: { value: StoredValue | null }) {
  const { embed, subject } = useEmbedWords();
  if (value === null || value.bytes === 0) return null;
  const { line, notes } = clippedValue(value, subject.raw);
  return (
    <p className="text-[12px] text-ink-soft">
      {embed.sections.value}: <code className="break-all">{line}</code>
      {notes.length === 0 ? null : <span className="text-ink-dim"> ({notes.join(' · ')})</span>}
    </p>
  );
}

/** Waiters listed before the rest is only counted. */
const waitersMax = 12;

export function EmbedWaiters({ waiters, part }: { waiters: readonly Party[]; part: boolean }) {
  const m = useEmbedWords();
  return (
    <>
      {waiters.length > 0 ? (
        <WaiterList waiters={waiters} />
      ) : (
        <p className="text-[13px] text-ink-soft">{part ? m.embed.noWaitersInView : m.embed.noWaiters}</p>
      )}
      {part ? <p className="text-[13px] text-ink-soft">{m.embed.waitersPart}</p> : null}
    </>
  );
}

function WaiterList({ waiters }: { waiters: readonly Party[] }) {
  const m = useEmbedWords();
  const shown = waiters.slice(0, waitersMax);
  return (
    <ol className="flex flex-wrap gap-x-4 gap-y-1 text-[13px]">
      {shown.map((waiter) => (
        <li key={waiter.sessionId} className="inline-flex min-w-0 max-w-full items-center gap-1.5">
          <Lamp kind="waiting" size={11} />
          <span className="truncate" title={waiter.sessionId}>
            {waiter.label}
          </span>
          {waiter.verdict === 'alive' ? null : (
            <span className="text-[12px] text-ink-soft">{m.verdicts[waiter.verdict].word}</span>
          )}
        </li>
      ))}
      {waiters.length > shown.length ? (
        <li className="text-ink-dim">{m.embed.more(waiters.length - shown.length)}</li>
      ) : null}
    </ol>
  );
}
