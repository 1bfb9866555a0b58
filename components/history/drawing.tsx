'use client';
/**
 * The drawn timeline: a lane for each slot, bars in the colour and pattern of the verdict, waiters as steps, findings above,
 * actions as flags, and hatched gaps. One stop for the Tab key; arrow keys move between holds. Places are in percent, so
 * that nothing is measured.
 */
import { clsx } from 'clsx';
import { useId, useRef, useState } from 'react';
import { useZone } from '@/components/live/clock';
import { formatInstant, formatWhen } from '@/lib/i18n/format/format';
import type { AllMessages } from '@/lib/i18n/messages';
import { type Bar, panned, type Timeline, type TimeRange, zoomed } from '@/lib/view/history/timeline';
import { actionWords } from './deed-text';
import { endText, lastedText } from './end-text';
import { useGestures } from './gestures';
import { HoldBar } from './hold-bar';
import { footHeight, headHeight, laneHeight, percent, stepsHeight, widthOf } from './measures';
import type { MomentLinkProps } from './moment-link';

/** An embed has no words of the console's actions. */
export type DrawingWords = Pick<AllMessages, 'findings' | 'history' | 'units'> &
  Partial<Pick<AllMessages, 'audit'>>;

interface DrawingProps {
  readonly words: DrawingWords;
  /** Leads to the board of then; an embed has none. */
  readonly link?: React.ComponentType<MomentLinkProps>;
  readonly timeline: Timeline;
  readonly name: string;
  readonly nowMs: number;
  /** Who holds it can be known. Otherwise its lanes are not idle, but unknown. */
  readonly named: boolean;
  /** Its waiters can be seen, so that their line has its place before the first waits. */
  readonly queues: boolean;
  readonly onRange: (range: TimeRange) => void;
}

export function Drawing(props: DrawingProps) {
  const { words: m, link: Link, timeline, name, nowMs, named, queues, onRange } = props;
  const zone = useZone();
  const id = useId();
  const frame = useRef<SVGSVGElement>(null);
  const [chosenId, setChosenId] = useState<string | null>(null);
  const { bars, lanes, gaps, unread, waiting, waitingMax, findings, deeds, ticks, fromMs, toMs } = timeline;
  const stepsAt = headHeight + lanes * laneHeight;
  const footAt = stepsAt + (queues || waitingMax > 0 ? stepsHeight : 0);
  const height = footAt + footHeight;
  const when = (ms: number) => formatWhen(ms, nowMs, zone);
  const at = bars.findIndex(({ hold }) => hold.id === chosenId);
  const chosen = bars[at] ?? null;
  useGestures(frame, { range: { fromMs, toMs }, nowMs, onRange });
  const onKeyDown = (event: React.KeyboardEvent) => {
    const range = { fromMs, toMs };
    const choose = (index: number) =>
      setChosenId(bars[Math.min(Math.max(index, 0), bars.length - 1)]?.hold.id ?? null);
    const act: Readonly<Record<string, () => void>> = {
      ArrowRight: () => choose(at + 1),
      ArrowLeft: () => choose(chosen === null ? bars.length - 1 : at - 1),
      Home: () => choose(0),
      End: () => choose(bars.length - 1),
      '+': () => onRange(zoomed(range, 0.5, chosen?.to ?? 1, nowMs)),
      '=': () => onRange(zoomed(range, 0.5, chosen?.to ?? 1, nowMs)),
      '-': () => onRange(zoomed(range, 2, chosen?.to ?? 1, nowMs)),
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
        {ticks.map(({ at: place, atMs }, i) => (
          <g key={atMs}>
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
              {tickText(atMs, nowMs, toMs - fromMs, zone)}
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
        {bars.map((bar) => (
          <HoldBar
            key={bar.hold.id}
            bar={bar}
            patterns={id}
            chosen={chosen === bar}
            label={spoken(bar, m, nowMs, when)}
            onChoose={() => setChosenId(bar.hold.id)}
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
        {[
          ...gaps.map(({ gap, ...span }) => ({ id: gap.id, why: m.history.gaps[gap.why], ...span })),
          ...unread.map((span) => ({ id: `unread ${span.from}`, why: m.history.unread, ...span })),
        ].map(({ id: key, why, ...span }) => (
          <rect
            key={key}
            x={percent(span.from)}
            width={widthOf(span)}
            y="0"
            height={footAt}
            fill={`url(#${id}-gap)`}
            className="opacity-90"
          >
            <title>{why}</title>
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
            <title>
              {m.history.deed(when(deed.atMs), m.history.by(deed.by), actionWords(deed.type, m), deed.reason)}
            </title>
          </g>
        ))}
      </svg>
      <p id={`${id}-keys`} className="sr-only">
        {m.history.keys}
      </p>
      <div className="mt-1 flex min-h-5 flex-wrap gap-x-3 text-[12px] text-ink-soft">
        <p id={`${id}-bar`} role="status">
          {chosen === null
            ? waitingMax > 0
              ? m.history.waiting(waitingMax)
              : ''
            : spoken(chosen, m, nowMs, when)}
        </p>
        {chosen === null || Link === undefined ? null : (
          <Link
            atMs={chosen.hold.from.atMs}
            className="text-brass-strong underline underline-offset-3 print:hidden"
          >
            {m.history.past.boardAt(when(chosen.hold.from.atMs))}
          </Link>
        )}
      </div>
    </div>
  );
}

const dayMs = 24 * 60 * 60 * 1_000;

/** `12:03`, with seconds where the range is that short, with the date where it is not today. */
function tickText(atMs: number, nowMs: number, lengthMs: number, zone: string): string {
  const text = formatInstant(atMs, zone);
  const time = lengthMs < 6 * 60_000 ? text.slice(11) : text.slice(11, 16);
  if (lengthMs > 6 * dayMs) return text.slice(5, 10);
  return text.slice(0, 10) === formatInstant(nowMs, zone).slice(0, 10)
    ? time
    : `${text.slice(5, 10)} ${time}`;
}

function spoken({ hold }: Bar, m: DrawingWords, nowMs: number, when: (ms: number) => string): string {
  const { history } = m;
  return history.bar(
    hold.who.label,
    lastedText(hold, nowMs, m),
    `${history.basis[hold.from.basis]}${when(hold.from.atMs)}`,
    endText(hold, m),
  );
}

/** From left to right, up and down by one step each, and on to the end. */
function stepsPath(waiting: Timeline['waiting'], max: number): string {
  const y = (count: number) => Math.round(95 - (count / max) * 88);
  const moves = waiting.map(({ at, count }) => `H${Math.round(at * 1000)} V${y(count)}`);
  return [`M0 ${y(0)}`, ...moves, 'H1000'].join(' ');
}
