'use client';
/** The present by the last day, whatever the range: the outcome of an action, and the usual lengths. */
import { useMemo } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import type { HeldSubject } from '@/lib/domain/history/episode';
import { formatCount, formatDuration } from '@/lib/i18n/format/format';
import { type Usual, usualOfDay } from '@/lib/view/history/usual';
import { lastedText } from './end-text';
import { rangeLengths } from './range';
import { RecoveryLine } from './recovery-line';
import { askedOf, useHistory } from './use-history';

export function Present({ of, nowMs }: { of: HeldSubject; nowMs: number }) {
  // The timeline's first range is the same one, and is asked once.
  const day = { fromMs: nowMs - rangeLengths.day, toMs: nowMs, live: true };
  const { data } = useHistory(askedOf(of), day);
  if (data === undefined || data.off) return null;
  return (
    <>
      <RecoveryLine history={data} nowMs={nowMs} />
      <UsualLine history={data} nowMs={nowMs} />
    </>
  );
}

/** The present length of the hold beside the usual one, and the same for its waits. */
function UsualLine({ history: read, nowMs }: { history: HistoryAnswer; nowMs: number }) {
  const m = useAllMessages();
  const words = m.history.usual;
  const { holds, waits } = useMemo(() => usualOfDay(read), [read]);
  const current = read.episodes.filter(({ to }) => to === null).sort((a, b) => a.from.atMs - b.from.atMs);
  const [longest] = current;
  if (holds === null && waits === null) return null;
  const span = (of: Usual, ms: number) =>
    `${of.counted && ms !== of.maxMs ? '≈ ' : ''}${formatDuration(ms, m.units)}`;
  const detail = (of: Usual) =>
    (read.more ? words.detailInPart : words.detail)(
      span(of, of.p95Ms),
      formatDuration(of.maxMs, m.units),
      formatCount(of.n),
    );
  return (
    <div className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 text-[13px]">
      {holds === null ? null : (
        <p>
          {longest === undefined
            ? words.hold(span(holds, holds.p50Ms))
            : words.held(
                current.length === 1 ? null : longest.who.label,
                lastedText(longest, nowMs, m),
                span(holds, holds.p50Ms),
              )}{' '}
          <small className="text-[12px] text-ink-dim">{detail(holds)}</small>
        </p>
      )}
      {waits === null ? null : (
        <p>
          {words.wait(span(waits, waits.p50Ms))}{' '}
          <small className="text-[12px] text-ink-dim">{detail(waits)}</small>
        </p>
      )}
    </div>
  );
}
