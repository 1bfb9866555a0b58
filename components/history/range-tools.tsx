'use client';
/** Tools to move and choose a range of time: steps and zoom, two fields for its ends, and a link to it. */
import { useId, useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { useZone } from '@/components/live/clock';
import { Button } from '@/components/ui/button';
import { Copy } from '@/components/ui/copy';
import { rangeMaxMs } from '@/lib/domain/history/answer';
import { formatInstant } from '@/lib/i18n/format/format';
import { panned, type TimeRange, zoomed } from '@/lib/view/history/timeline';
import { linkTo } from './range';
import type { ShownRange } from './use-history';

export const smallButton = 'h-7 px-2 text-[12px] max-md:h-11';

interface RangeToolsProps {
  readonly range: ShownRange;
  readonly nowMs: number;
  readonly onRange: (range: TimeRange) => void;
}

export function RangeSteps({ range, nowMs, onRange }: RangeToolsProps) {
  const { ranges } = useAllMessages().history;
  return (
    <>
      <Button className={smallButton} onClick={() => onRange(panned(range, -0.5, nowMs))}>
        {ranges.earlier}
      </Button>
      <Button
        className={smallButton}
        aria-disabled={range.live}
        onClick={() => {
          if (!range.live) onRange(panned(range, 0.5, nowMs));
        }}
      >
        {ranges.later}
      </Button>
      <Button className={smallButton} onClick={() => onRange(zoomed(range, 0.5, 1, nowMs))}>
        {ranges.closer}
      </Button>
      <Button className={smallButton} onClick={() => onRange(zoomed(range, 2, 1, nowMs))}>
        {ranges.wider}
      </Button>
      <Copy text={() => linkTo(range)} label={ranges.link} done={ranges.linkDone} />
    </>
  );
}

/** `2026-11-26T02:13:00`, for a field of dates and times in the browser's zone, which is the page's. */
const fieldText = (atMs: number, zone: string): string => formatInstant(atMs, zone).replace(' ', 'T');

type Wrong = 'order' | 'long' | 'future';

function wrongIn({ fromMs, toMs }: TimeRange, nowMs: number): Wrong | null {
  if (fromMs >= toMs) return 'order';
  if (fromMs >= nowMs) return 'future';
  return toMs - fromMs > rangeMaxMs ? 'long' : null;
}

/** The fields begin with the shown range. A moving range does not disturb a person who types. */
export function RangeFields({ range, nowMs, onRange }: RangeToolsProps) {
  const { ranges } = useAllMessages().history;
  const zone = useZone();
  const id = useId();
  const [texts, setTexts] = useState(() => ({
    from: fieldText(range.fromMs, zone),
    to: fieldText(range.toMs, zone),
  }));
  const [wrong, setWrong] = useState<Wrong | null>(null);
  // A step moves the fields. The zone moves them too, as it is the browser's only after the first paint.
  const { fromMs, toMs } = range;
  const key = `${zone} ${range.live ? Math.round((toMs - fromMs) / 1_000) : `${fromMs} ${toMs}`}`;
  const [shown, setShown] = useState(key);
  if (shown !== key) {
    setShown(key);
    setTexts({ from: fieldText(range.fromMs, zone), to: fieldText(range.toMs, zone) });
    setWrong(null);
  }
  const field = (end: 'from' | 'to') => (
    <label className="inline-flex items-center gap-1.5 text-[12px] text-ink-soft">
      {ranges[end]}
      <input
        type="datetime-local"
        step="1"
        required
        value={texts[end]}
        aria-invalid={wrong !== null}
        aria-describedby={wrong === null ? undefined : id}
        onChange={({ target: { value } }) => setTexts((now) => ({ ...now, [end]: value }))}
        className="h-7 min-w-0 rounded-[5px] border border-line-strong bg-panel px-1.5 text-[13px] text-ink max-md:h-11"
      />
    </label>
  );
  return (
    <form
      aria-label={ranges.choose}
      className="flex flex-wrap items-center gap-x-3 gap-y-2"
      onSubmit={(event) => {
        event.preventDefault();
        const range = { fromMs: Date.parse(texts.from), toMs: Date.parse(texts.to) };
        if (!Number.isFinite(range.fromMs) || !Number.isFinite(range.toMs)) return;
        const problem = wrongIn(range, nowMs);
        setWrong(problem);
        if (problem === null) onRange({ fromMs: range.fromMs, toMs: Math.min(range.toMs, nowMs) });
      }}
    >
      {field('from')}
      {field('to')}
      <Button type="submit" className={smallButton}>
        {ranges.show}
      </Button>
      {wrong === null ? null : (
        <p id={id} role="alert" className="text-[12px] text-danger-strong">
          {ranges.wrong[wrong]}
        </p>
      )}
    </form>
  );
}
