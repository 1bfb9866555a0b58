'use client';
/** The history of a lock or semaphore: a timeline of a range, and the same as a table. */
import { useState } from 'react';
import { useAddress } from '@/components/dom/address';
import { useAllMessages } from '@/components/dom/locale';
import { usePrinting } from '@/components/list/printing';
import { useNow, useZone } from '@/components/live/clock';
import { Button } from '@/components/ui/button';
import { useDeeds } from '@/lib/client/deeds';
import { countedIn, type HistoryAnswer } from '@/lib/domain/history/answer';
import type { HeldSubject } from '@/lib/domain/history/episode';
import { subjectName } from '@/lib/domain/model';
import { formatCount, formatWhen } from '@/lib/i18n/format/format';
import { entriesOf } from '@/lib/view/history/entries';
import { keptPart, knownOf, type TimeRange, timelineOf } from '@/lib/view/history/timeline';
import { nameParameter } from '@/lib/view/url-parameter';
import { Drawing } from './drawing';
import { EntriesTable } from './entries-table';
import { MomentLink } from './moment-link';
import { Present } from './present';
import { rangeLengths as lengths, rangeNames, rangeOf } from './range';
import { RangeSteps, smallButton } from './range-tools';
import { askedOf, type ShownRange, useHistory } from './use-history';

/** A range in the address, so that a link shows it: `?from=…&to=…`, in epoch milliseconds. */
const parameters = { from: nameParameter, to: nameParameter };

interface SubjectHistoryProps {
  readonly of: HeldSubject;
  readonly named: boolean;
}

export function SubjectHistory({ of, named }: SubjectHistoryProps) {
  const m = useAllMessages();
  const nowMs = useNow();
  // While a link is followed, only the router has the new address.
  const [{ from, to }] = useAddress(parameters);
  const [fixed, setFixed] = useState<TimeRange | null>(() => rangeOf(from, to));
  /** `null`: not chosen: a day, or as much of it as is kept. */
  const [lengthMs, setLength] = useState<number | null>(null);
  const range: ShownRange =
    fixed === null
      ? { fromMs: nowMs - (lengthMs ?? lengths.day), toMs: nowMs, live: true }
      : { ...fixed, live: false };
  const { data, isError, isPending, refetch } = useHistory(askedOf(of), range);
  const { history } = m;
  const go = (next: TimeRange) => {
    // A range that reaches the present moves with it.
    if (next.toMs >= nowMs) {
      setFixed(null);
      setLength(next.toMs - next.fromMs);
    } else setFixed(next);
  };
  if (isPending) return <p className="min-h-24 text-[13px] text-ink-dim">{history.loading}</p>;
  if (data === undefined)
    return (
      <p role="alert" className="text-[13px] text-ink-soft">
        {history.failed}{' '}
        <button type="button" className="text-brass-strong underline" onClick={() => void refetch()}>
          {history.again}
        </button>
      </p>
    );
  if (data.off) return <p className="text-[13px] text-ink-soft">{history.off}</p>;
  const shown =
    fixed === null && lengthMs === null ? { ...range, ...keptPart(range, data.keptSinceMs) } : range;
  return <Shown of={of} named={named} data={data} failed={isError} range={shown} nowMs={nowMs} go={go} />;
}

interface ShownProps extends SubjectHistoryProps {
  readonly data: HistoryAnswer;
  /** The last reading: what is shown is older, and hatched beyond it. */
  readonly failed: boolean;
  readonly range: ShownRange;
  readonly nowMs: number;
  readonly go: (range: TimeRange) => void;
}

function Shown({ of, named, data, failed, range, nowMs, go }: ShownProps) {
  const m = useAllMessages();
  const { history } = m;
  const zone = useZone();
  const acted = useDeeds(of, { fromMs: data.from, toMs: data.to, live: range.live });
  const timeline = timelineOf(data, range, nowMs, knownOf(data), acted);
  const printing = usePrinting();
  const [open, setOpen] = useState(false);
  const { ranges } = history;
  const entries = entriesOf(timeline);
  const counted = countedIn(data);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <Present of={of} nowMs={nowMs} />
      <div
        role="toolbar"
        aria-label={ranges.label}
        className="flex flex-wrap items-center gap-1.5 print:hidden"
      >
        {rangeNames.map((name) => (
          <Button
            key={name}
            className={smallButton}
            aria-pressed={range.live && Math.abs(range.toMs - range.fromMs - lengths[name]) < 1_000}
            onClick={() => go({ fromMs: nowMs - lengths[name], toMs: nowMs })}
          >
            {ranges[name]}
          </Button>
        ))}
        <RangeSteps range={range} nowMs={nowMs} onRange={go} />
      </div>
      <Drawing
        words={m}
        link={MomentLink}
        timeline={timeline}
        name={subjectName(of)}
        nowMs={nowMs}
        named={named}
        queues={of.kind === 'semaphore'}
        onRange={go}
      />
      <p className="text-[12px] text-ink-soft">
        {[
          ...(failed ? [history.failed] : []),
          ...(data.awaySinceMs === null ? [] : [history.away(formatWhen(data.awaySinceMs, nowMs, zone))]),
          ...(named ? [] : [history.unnamed]),
          ...(named && timeline.bars.length === 0 && counted === 0 ? [history.none] : []),
          ...(counted === 0 ? [] : [history.folded(formatCount(counted))]),
          ...(data.more ? [history.more] : []),
          ...(data.keptSinceMs === null
            ? []
            : [history.keptSince(formatWhen(data.keptSinceMs, nowMs, zone))]),
        ].join(m.joint)}
      </p>
      {entries.length === 0 ? null : (
        <details
          open={printing || open}
          onToggle={({ currentTarget }) => {
            if (!printing) setOpen(currentTarget.open);
          }}
        >
          <summary className="cursor-pointer text-[12px] text-ink-soft">{history.table}</summary>
          {/* The rows are drawn each second, so only while they are visible. */}
          {printing || open ? (
            <EntriesTable words={m} link={MomentLink} entries={entries} nowMs={nowMs} />
          ) : null}
        </details>
      )}
    </div>
  );
}
