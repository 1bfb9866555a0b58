'use client';
/**
 * The drawn timeline: a lane for each slot, bars in the colour and pattern of the verdict, waiters as steps, findings above,
 * actions as flags, and hatched gaps. One stop for the Tab key; arrow keys move between holds. Places are in percent, so
 * that nothing is measured.
 */
import { useId, useRef, useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { useZone } from '@/components/live/clock';
import { lastedMs } from '@/lib/domain/history/episode';
import type { Verdict } from '@/lib/domain/model';
import { formatDuration, formatWhen } from '@/lib/i18n/format/format';
import { type Bar, panned, type Timeline, type TimeRange, zoomed } from '@/lib/view/history/timeline';

const laneHeight = 26;
const barHeight = 20;
const headHeight = 16;
const stepsHeight = 28;
const footHeight = 18;

/** Literal, so that the styles are made. */
const fills: Readonly<Record<Verdict, string>> = {
  alive: 'fill-lamp-alive text-lamp-alive',
  overdue: 'fill-lamp-overdue text-lamp-overdue',
  suspect: 'fill-lamp-suspect text-lamp-suspect',
  'node-bound': 'fill-lamp-node-bound text-lamp-node-bound',
  immortal: 'fill-lamp-immortal text-lamp-immortal',
  ghost: 'fill-lamp-ghost text-lamp-ghost',
  unknown: 'fill-lamp-unknown text-lamp-unknown',
};

/** Verdicts that a person must not miss have a pattern, too; colour only repeats it. */
const striped: ReadonlySet<Verdict> = new Set<Verdict>(['overdue', 'suspect', 'ghost']);
const dotted: ReadonlySet<Verdict> = new Set<Verdict>(['immortal', 'node-bound']);

const percent = (share: number) => `${(share * 100).toFixed(3)}%`;
/** A hold of a moment is a line that can be seen and touched. */
const widthOf = ({ from, to }: { readonly from: number; readonly to: number }) =>
  percent(Math.max(to - from, 0.002));

interface DrawingProps {
  readonly timeline: Timeline;
  readonly name: string;
  readonly nowMs: number;
  readonly onRange: (range: TimeRange) => void;
}

export function Drawing({ timeline, name, nowMs, onRange }: DrawingProps) {
  const m = useAllMessages();
  const zone = useZone();
  const id = useId();
  const frame = useRef<SVGSVGElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const { bars, lanes, gaps, waiting, waitingMax, findings, deeds, ticks, fromMs, toMs } = timeline;
  const stepsAt = headHeight + lanes * laneHeight;
  const footAt = stepsAt + (waitingMax > 0 ? stepsHeight : 0);
  const height = footAt + footHeight;
  const when = (ms: number) => formatWhen(ms, nowMs, zone);
  const chosen = at === null ? null : (bars[Math.min(at, bars.length - 1)] ?? null);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const range = { fromMs, toMs };
    const move = (by: number) =>
      setAt(at === null ? (by > 0 ? 0 : bars.length - 1) : Math.min(Math.max(at + by, 0), bars.length - 1));
    const act: Readonly<Record<string, () => void>> = {
      ArrowRight: () => move(1),
      ArrowLeft: () => move(-1),
      Home: () => setAt(0),
      End: () => setAt(bars.length - 1),
      '+': () => onRange(zoomed(range, 0.5, chosen?.to ?? 1, nowMs)),
      '=': () => onRange(zoomed(range, 0.5, chosen?.to ?? 1, nowMs)),
      '-': () => onRange(zoomed(range, 2, chosen?.to ?? 1, nowMs)),
      PageUp: () => onRange(panned(range, -0.5, nowMs)),
      PageDown: () => onRange(panned(range, 0.5, nowMs)),
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const does = act[event.key];
    if (does === undefined) return;
    event.preventDefault();
    does();
  };
  const onWheel = (event: React.WheelEvent) => {
    // Without a key, a wheel scrolls the page.
    if (!event.ctrlKey && !event.metaKey) return;
    const box = frame.current?.getBoundingClientRect();
    const place = box === undefined || box.width === 0 ? 1 : (event.clientX - box.left) / box.width;
    onRange(zoomed({ fromMs, toMs }, event.deltaY > 0 ? 1.25 : 0.8, place, nowMs));
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
        className="block rounded-[5px] border border-line bg-inset outline-offset-2"
        onKeyDown={onKeyDown}
        onWheel={onWheel}
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
        {ticks.map(({ at: place, atMs }) => (
          <g key={atMs}>
            <line x1={percent(place)} x2={percent(place)} y1="0" y2={footAt} className="stroke-line" />
            <text
              x={percent(place)}
              y={height - 5}
              textAnchor={place > 0.93 ? 'end' : place < 0.07 ? 'start' : 'middle'}
              className="fill-ink-dim text-[10px]"
            >
              {when(atMs)}
            </text>
          </g>
        ))}
        {findings.map(({ finding, ...span }) => (
          <rect
            key={finding.id}
            x={percent(span.from)}
            width={widthOf(span)}
            y="3"
            height="5"
            className={
              finding.severities.some(({ severity }) => severity === 'urgent')
                ? 'fill-danger'
                : 'fill-caution'
            }
          >
            <title>{`${m.findings[finding.code].short}, ${when(finding.from.atMs)}`}</title>
          </rect>
        ))}
        {bars.map((bar, i) => (
          <HoldBar
            key={bar.hold.id}
            bar={bar}
            patterns={id}
            chosen={chosen === bar}
            label={spoken(bar, m, nowMs, when)}
            onChoose={() => setAt(i)}
          />
        ))}
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
        {gaps.map(({ gap, ...span }) => (
          <rect
            key={gap.id}
            x={percent(span.from)}
            width={widthOf(span)}
            y="0"
            height={footAt}
            fill={`url(#${id}-gap)`}
            className="opacity-90"
          >
            <title>{m.history.gaps[gap.why]}</title>
          </rect>
        ))}
        {deeds.map(({ at: place, deed }) => (
          <g key={`${deed.atMs} ${deed.type}`} className="text-brass-strong">
            <line
              x1={percent(place)}
              x2={percent(place)}
              y1="0"
              y2={footAt}
              stroke="currentColor"
              strokeDasharray="2 2"
            />
            <svg
              aria-hidden="true"
              x={percent(place)}
              y="0"
              width="12"
              height="12"
              viewBox="0 0 12 12"
              overflow="visible"
            >
              <path d="M0 0 H9 L6.5 4 L9 8 H0 Z" fill="currentColor" />
            </svg>
            <title>{m.history.deed(when(deed.atMs), m.history.by(deed.by), deed.type, deed.reason)}</title>
          </g>
        ))}
      </svg>
      <p id={`${id}-keys`} className="sr-only">
        {m.history.keys}
      </p>
      <p id={`${id}-bar`} role="status" className="mt-1 min-h-5 text-[12px] text-ink-soft">
        {chosen === null
          ? waitingMax > 0
            ? m.history.waiting(waitingMax)
            : ''
          : spoken(chosen, m, nowMs, when)}
      </p>
    </div>
  );
}

type Messages = ReturnType<typeof useAllMessages>;

function spoken({ hold }: Bar, m: Messages, nowMs: number, when: (ms: number) => string): string {
  const { history, units } = m;
  const end =
    hold.to === null ? history.holds : hold.end === null ? history.unsettled : history.ends[hold.end];
  const by = hold.deed === null ? '' : `, ${history.by(hold.deed.by)}`;
  const lasted = formatDuration(lastedMs(hold, nowMs), units);
  return history.bar(
    hold.who.label,
    lasted,
    `${history.basis[hold.from.basis]}${when(hold.from.atMs)}`,
    `${end}${by}`,
  );
}

/** From left to right, up and down by one step each, and on to the end. */
function stepsPath(waiting: Timeline['waiting'], max: number): string {
  const y = (count: number) => Math.round(95 - (count / max) * 88);
  const moves = waiting.map(({ at, count }) => `H${Math.round(at * 1000)} V${y(count)}`);
  return [`M0 ${y(0)}`, ...moves, 'H1000'].join(' ');
}

interface HoldBarProps {
  readonly bar: Bar;
  readonly patterns: string;
  readonly chosen: boolean;
  readonly label: string;
  readonly onChoose: () => void;
}

function HoldBar({ bar, patterns, chosen, label, onChoose }: HoldBarProps) {
  const y = headHeight + bar.lane * laneHeight + (laneHeight - barHeight) / 2;
  const last = bar.parts.at(-1)?.verdict ?? 'unknown';
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the drawing is the widget.
    <g onClick={onChoose} data-hold={bar.hold.id} className="cursor-pointer">
      <title>{label}</title>
      {bar.parts.map((part) => (
        <g key={part.from}>
          <rect
            x={percent(part.from)}
            width={widthOf(part)}
            y={y}
            height={barHeight}
            rx="2"
            className={fills[part.verdict]}
          />
          {striped.has(part.verdict) || dotted.has(part.verdict) ? (
            <rect
              x={percent(part.from)}
              width={widthOf(part)}
              y={y}
              height={barHeight}
              fill={`url(#${patterns}-${striped.has(part.verdict) ? 'striped' : 'dotted'})`}
            />
          ) : null}
        </g>
      ))}
      <svg x={percent(bar.from)} y={y} width={widthOf(bar)} height={barHeight} aria-hidden="true">
        {bar.to - bar.from < 0.06 || striped.has(last) || dotted.has(last) ? null : (
          <text x="5" y="14" className="fill-panel text-[11px]">
            {bar.hold.who.label}
          </text>
        )}
      </svg>
      {chosen ? (
        <rect
          x={percent(bar.from)}
          width={widthOf(bar)}
          y={y - 2}
          height={barHeight + 4}
          rx="3"
          fill="none"
          strokeWidth="2"
          className="stroke-ink"
        />
      ) : null}
    </g>
  );
}
