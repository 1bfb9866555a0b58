'use client';
/** The last 24 hours of a lock or semaphore, for readers: the console's timeline, and the same as a table. Loaded apart. */
import { useEffect, useState } from 'react';
import { Drawing } from '@/components/history/drawing';
import { EntriesTable } from '@/components/history/entries-table';
import { useNow, useZone } from '@/components/live/clock';
import { countedIn, type HistoryAnswer } from '@/lib/domain/history/answer';
import { historyMs } from '@/lib/domain/sharing/grant';
import { historyWords } from '@/lib/i18n/embed-history';
import { formatCount, formatWhen } from '@/lib/i18n/format/format';
import { entriesOf } from '@/lib/view/history/entries';
import { keptPart, knownOf, type TimeRange, timelineOf } from '@/lib/view/history/timeline';
import { useEmbedLanguage, useEmbedWords } from './words';

const againMs = 30_000;

/** Read now and then: what happens now is above, live. */
function useEmbedHistory(): { readonly answer: HistoryAnswer | null; readonly failed: boolean } {
  const [read, put] = useState<{ answer: HistoryAnswer | null; failed: boolean }>({
    answer: null,
    failed: false,
  });
  useEffect(() => {
    const end = new AbortController();
    const ask = async () => {
      try {
        const response = await fetch(`/embed/v1/history${window.location.search}`, { signal: end.signal });
        if (!response.ok) throw new Error(`history answered ${response.status}`);
        put({ answer: (await response.json()) as HistoryAnswer, failed: false });
      } catch {
        if (!end.signal.aborted) put(({ answer }) => ({ answer, failed: true }));
      }
    };
    void ask();
    const timer = setInterval(() => void ask(), againMs);
    return () => {
      clearInterval(timer);
      end.abort();
    };
  }, []);
  return read;
}

/** Within the 24 hours. */
function clamped(range: TimeRange, nowMs: number): TimeRange | null {
  const fromMs = Math.max(range.fromMs, nowMs - historyMs);
  return range.toMs >= nowMs && fromMs <= nowMs - historyMs
    ? null
    : { fromMs, toMs: Math.max(range.toMs, fromMs + 1) };
}

interface EmbedHistoryProps {
  readonly name: string;
  /** True when the backend can name holders. */
  readonly named: boolean;
  readonly queues: boolean;
}

export default function EmbedHistory({ name, named, queues }: EmbedHistoryProps) {
  const { findings, units, verdicts, joint } = useEmbedWords();
  const history = historyWords[useEmbedLanguage()];
  const words = { findings, history, units, verdicts };
  const { answer, failed } = useEmbedHistory();
  const nowMs = useNow();
  const zone = useZone();
  const [chosen, setChosen] = useState<TimeRange | null>(null);
  const [open, setOpen] = useState(false);
  if (answer === null)
    return <p className="text-[12px] text-ink-dim">{failed ? history.failed : history.loading}</p>;
  if (answer.off) return <p className="text-[12px] text-ink-soft">{history.off}</p>;
  const whole = { fromMs: nowMs - historyMs, toMs: nowMs };
  const range = chosen ?? keptPart(whole, answer.keptSinceMs);
  const timeline = timelineOf(answer, range, nowMs, knownOf(answer));
  const entries = entriesOf(timeline);
  const counted = countedIn(answer);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <Drawing
        words={words}
        timeline={timeline}
        name={name}
        nowMs={nowMs}
        named={named}
        queues={queues}
        onRange={(next) => setChosen(clamped(next, nowMs))}
      />
      <p className="text-[12px] text-ink-soft">
        {[
          ...(failed ? [history.failed] : []),
          ...(answer.awaySinceMs === null ? [] : [history.away(formatWhen(answer.awaySinceMs, nowMs, zone))]),
          ...(named ? [] : [history.unnamed]),
          ...(named && timeline.bars.length === 0 && counted === 0 ? [history.none] : []),
          ...(counted === 0 ? [] : [history.folded(formatCount(counted))]),
          ...(answer.more ? [history.more] : []),
          ...(answer.keptSinceMs === null
            ? []
            : [history.keptSince(formatWhen(answer.keptSinceMs, nowMs, zone))]),
        ].join(joint)}
      </p>
      {entries.length === 0 ? null : (
        <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary className="cursor-pointer text-[12px] text-ink-soft">{history.table}</summary>
          {open ? <EntriesTable words={words} entries={entries} nowMs={nowMs} /> : null}
        </details>
      )}
    </div>
  );
}
