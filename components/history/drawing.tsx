'use client';
/**
 * The drawn timeline: a lane for each slot, bars in the colour and pattern of the verdict, waiters as steps, findings above,
 * actions as flags, and hatched gaps. One stop for the Tab key; arrow keys move between holds and marks. Places are in
 * percent, so that nothing is measured.
 */
import { clsx } from 'clsx';
import { useId, useRef, useState } from 'react';
import { useZone } from '@/components/live/clock';
import { formatInstant, formatWhen } from '@/lib/i18n/format/format';
import { type Entry, entriesOf, placeOf, stopsOf } from '@/lib/view/history/entries';
import { type Tick, ticksOf } from '@/lib/view/history/ticks';
import { panned, type Timeline, type TimeRange, zoomed } from '@/lib/view/history/timeline';
import { entrySentence, type HistoryWords } from './entry-text';
import { useGestures } from './gestures';
import { HoldBar } from './hold-bar';
import { ChosenMark, DeedFlags, FindingMarks, GapHatches, LimitMarks } from './marks';
import { footHeight, headHeight, laneHeight, percent, stepsHeight } from './measures';
import type { MomentLinkProps } from './moment-link';

interface DrawingProps {
  readonly words: HistoryWords;
  /** Leads to the board of then; an embed has none. */
  readonly link?: React.ComponentType<MomentLinkProps>;
  readonly timeline: Timeline;
  readonly name: string;
  readonly nowMs: number;
  /** True when the backend can name holders. Otherwise its lanes are not idle, but unknown. */
  readonly named: boolean;
  /** True when the backend shows waiters. Their line has its place before the first waits. */
  readonly queues: boolean;
  readonly onRange: (range: TimeRange) => void;
}

/** A short hold stands on a long one beside it, so that a pointer can reach it. */
const longFirst = (bars: Timeline['bars']): Timeline['bars'] =>
  [...bars].sort((a, b) => b.to - b.from - (a.to - a.from));

export function Drawing(props: DrawingProps) {
  const { words: m, link: Link, timeline, name, nowMs, named, queues, onRange } = props;
  const zone = useZone();
  const id = useId();
  const frame = useRef<SVGSVGElement>(null);
  const [chosenId, setChosenId] = useState<string | null>(null);
  const { bars, lanes, waiting, waitingMax, fromMs, toMs } = timeline;
  const stepsAt = headHeight + lanes * laneHeight;
  const footAt = stepsAt + (queues || waitingMax > 0 ? stepsHeight : 0);
  const height = footAt + footHeight;
  const when = (ms: number) => formatWhen(ms, nowMs, zone);
  const stops = stopsOf(entriesOf(timeline));
  const byId = new Map(stops.map((entry) => [entry.id, entry]));
  const at = stops.findIndex(({ id: own }) => own === chosenId);
  const chosen = chosenId === null ? null : (byId.get(chosenId) ?? null);
  const place = chosen === null ? null : placeOf(chosen, timeline, nowMs);
  const sentenceOf = (entry: Entry) => entrySentence(entry, m, nowMs, when);
  const marks = {
    entries: stops,
    range: timeline,
    nowMs,
    height: footAt,
    label: sentenceOf,
    onChoose: (entry: Entry) => setChosenId(entry.id),
  };
  useGestures(frame, { range: { fromMs, toMs }, nowMs, onRange });
  const onKeyDown = (event: React.KeyboardEvent) => {
    const range = { fromMs, toMs };
    const choose = (index: number) =>
      setChosenId(stops[Math.min(Math.max(index, 0), stops.length - 1)]?.id ?? null);
    const act: Readonly<Record<string, () => void>> = {
      ArrowRight: () => choose(at + 1),
      ArrowLeft: () => choose(chosen === null ? stops.length - 1 : at - 1),
      Home: () => choose(0),
      End: () => choose(stops.length - 1),
      '+': () => onRange(zoomed(range, 0.5, place?.to ?? 1, nowMs)),
      '=': () => onRange(zoomed(range, 0.5, place?.to ?? 1, nowMs)),
      '-': () => onRange(zoomed(range, 2, place?.to ?? 1, nowMs)),
      Escape: () => setChosenId(null),
      PageUp: () => onRange(panned(range, -0.5, nowMs)),
      PageDown: () => onRange(panned(range, 0.5, nowMs)),
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const does = act[event.key];
    if (does === undefined) return;
    event.preventDefault();
    does();
  };
  return (
    <div className="min-w-0">
      <svg
        ref={frame}
        role="application"
        aria-roledescription={m.history.title}
        aria-label={m.history.label(name, when(fromMs), when(toMs))}
        aria-describedby={`${id}-keys ${id}-bar`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes keys, as its description says.
        tabIndex={0}
        width="100%"
        height={height}
        className="block cursor-grab touch-pan-y select-none rounded-[5px] border border-line bg-inset outline-offset-2 print:[print-color-adjust:exact]"
        onKeyDown={onKeyDown}
      >
        <defs>
          <pattern
            id={`${id}-gap`}
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect width="6" height="6" className="fill-panel" />
            <line x1="0" y1="0" x2="0" y2="6" strokeWidth="2" className="stroke-line-strong" />
          </pattern>
          <pattern
            id={`${id}-striped`}
            width="5"
            height="5"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <line x1="0" y1="0" x2="0" y2="5" strokeWidth="2.5" className="stroke-panel" />
          </pattern>
          <pattern id={`${id}-dotted`} width="6" height="6" patternUnits="userSpaceOnUse">
            <circle cx="2" cy="2" r="1.2" className="fill-panel" />
          </pattern>
        </defs>
        {ticksOf({ fromMs, toMs }, zone).map(({ at: place, ...tick }, i) => (
          <g key={tick.atMs}>
            <line x1={percent(place)} x2={percent(place)} y1="0" y2={footAt} className="stroke-line" />
            <text
              x={percent(place)}
              y={height - 5}
              textAnchor={place > 0.93 ? 'end' : place < 0.07 ? 'start' : 'middle'}
              className={clsx(
                'forced-color-adjust-none fill-ink-dim text-[10px]',
                // Side by side they would run into each other on a phone.
                i % 2 === 1 && 'max-sm:hidden',
              )}
            >
              {tickText(tick, nowMs, toMs - fromMs, zone)}
            </text>
          </g>
        ))}
        <FindingMarks {...marks} />
        {named ? null : (
          <rect
            x="0"
            width="100%"
            y={headHeight}
            height={stepsAt - headHeight}
            fill={`url(#${id}-gap)`}
            data-holders="unknown"
          >
            <title>{m.history.unnamed}</title>
          </rect>
        )}
        {longFirst(bars).map((bar) => {
          const entry = byId.get(bar.hold.id);
          return (
            <HoldBar
              key={bar.hold.id}
              bar={bar}
              patterns={id}
              chosen={chosen !== null && chosen.id === bar.hold.id}
              label={entry === undefined ? '' : sentenceOf(entry)}
              onChoose={() => setChosenId(bar.hold.id)}
            />
          );
        })}
        {waitingMax === 0 ? null : (
          <svg
            x="0"
            y={stepsAt}
            width="100%"
            height={stepsHeight}
            viewBox="0 0 1000 100"
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            <path
              d={stepsPath(waiting, waitingMax)}
              fill="none"
              strokeWidth="1.5"
              vectorEffect="non-scaling-stroke"
              className="stroke-lamp-waiting"
            />
          </svg>
        )}
        <GapHatches {...marks} hatch={`${id}-gap`} unread={timeline.unread} why={m.history.unread} />
        <LimitMarks {...marks} />
        <DeedFlags {...marks} />
        {chosen === null || chosen.kind === 'hold' ? null : <ChosenMark {...marks} entry={chosen} />}
      </svg>
      <p id={`${id}-keys`} className="sr-only">
        {m.history.keys}
      </p>
      <div className="mt-1 flex min-h-5 flex-wrap gap-x-3 text-[12px] text-ink-soft">
        <p id={`${id}-bar`} role="status">
          {chosen === null ? (waitingMax > 0 ? m.history.waiting(waitingMax) : '') : sentenceOf(chosen)}
        </p>
        {chosen === null ? (
          <p className="text-ink-dim print:hidden">{m.history.gestures}</p>
        ) : Link === undefined ? null : (
          <Link atMs={chosen.fromMs} className="text-brass-strong underline underline-offset-3 print:hidden">
            {m.history.past.boardAt(when(chosen.fromMs))}
          </Link>
        )}
      </div>
    </div>
  );
}

/** `12:03`, with seconds where the range is that short, with the date where it is not today; `11-21` for a day. */
function tickText({ atMs, isDay }: Omit<Tick, 'at'>, nowMs: number, lengthMs: number, zone: string): string {
  const text = formatInstant(atMs, zone);
  if (isDay) return text.slice(5, 10);
  const time = lengthMs < 6 * 60_000 ? text.slice(11) : text.slice(11, 16);
  return text.slice(0, 10) === formatInstant(nowMs, zone).slice(0, 10)
    ? time
    : `${text.slice(5, 10)} ${time}`;
}

/** The path of the steps, from left to right and on to the end. */
function stepsPath(waiting: Timeline['waiting'], max: number): string {
  const y = (count: number) => Math.round(95 - (count / max) * 88);
  const moves = waiting.map(({ at, count }) => `H${Math.round(at * 1000)} V${y(count)}`);
  return [`M0 ${y(0)}`, ...moves, 'H1000'].join(' ');
}
