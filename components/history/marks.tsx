'use client';
/**
 * The marks beside the holds on a drawn timeline: findings above, gaps hatched, changed limits, and actions as flags.
 */
import { type Entry, placeOf } from '@/lib/view/history/entries';
import type { Span, Timeline } from '@/lib/view/history/timeline';
import { percent, widthOf } from './measures';

interface MarksProps {
  readonly entries: readonly Entry[];
  readonly range: Timeline;
  readonly nowMs: number;
  /** Height of everything above the times. */
  readonly height: number;
  readonly label: (entry: Entry) => string;
  readonly onChoose: (entry: Entry) => void;
}

type Of<K extends Entry['kind']> = Extract<Entry, { readonly kind: K }>;

const ofKind = <K extends Entry['kind']>(entries: readonly Entry[], kind: K): readonly Of<K>[] =>
  entries.filter((entry): entry is Of<K> => entry.kind === kind);

interface MarkProps extends Pick<MarksProps, 'label' | 'onChoose'> {
  readonly entry: Entry;
  readonly className?: string;
  readonly children: React.ReactNode;
}

/** A click chooses it, as keys do on the drawing as a whole. */
function Mark({ entry, label, onChoose, className, children }: MarkProps) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the drawing is the widget.
    <g onClick={() => onChoose(entry)} className={className} data-mark={entry.kind}>
      <title>{label(entry)}</title>
      {children}
    </g>
  );
}

const findingTop = 3;
const findingHeight = 5;

export function FindingMarks({ entries, range, nowMs, ...mark }: MarksProps) {
  return ofKind(entries, 'finding').map((entry) => {
    const span = placeOf(entry, range, nowMs);
    const isUrgent = entry.finding.severities.some(({ severity }) => severity === 'urgent');
    return (
      <Mark key={entry.id} entry={entry} {...mark}>
        <rect
          x={percent(span.from)}
          width={widthOf(span)}
          y={findingTop}
          height={findingHeight}
          className={isUrgent ? 'fill-danger' : 'fill-caution'}
        />
      </Mark>
    );
  });
}

interface HatchesProps extends MarksProps {
  readonly hatch: string;
  readonly unread: readonly Span[];
  readonly why: string;
}

export function GapHatches({ entries, range, nowMs, height, hatch, unread, why, ...mark }: HatchesProps) {
  const hatched = (span: Span) => ({
    x: percent(span.from),
    width: widthOf(span),
    y: 0,
    height,
    fill: `url(#${hatch})`,
    className: 'opacity-90',
  });
  return (
    <>
      {ofKind(entries, 'gap').map((entry) => (
        <Mark key={entry.id} entry={entry} {...mark}>
          <rect {...hatched(placeOf(entry, range, nowMs))} />
        </Mark>
      ))}
      {unread.map((span) => (
        <rect key={span.from} {...hatched(span)}>
          <title>{why}</title>
        </rect>
      ))}
    </>
  );
}

/** A picture at a moment: it has its own size, and only its place is in percent. */
function At({ place, children }: { place: number; children: React.ReactNode }) {
  return (
    <svg
      aria-hidden="true"
      x={percent(place)}
      y="0"
      width="12"
      height="12"
      viewBox="0 0 12 12"
      overflow="visible"
    >
      {children}
    </svg>
  );
}

export function LimitMarks({ entries, range, nowMs, ...mark }: MarksProps) {
  return ofKind(entries, 'limit').map((entry) => (
    <Mark key={entry.id} entry={entry} {...mark}>
      <At place={placeOf(entry, range, nowMs).from}>
        <path d="M0 1 L5 6 L0 11 L-5 6 Z" className="fill-ink-soft" />
      </At>
    </Mark>
  ));
}

export function DeedFlags({ entries, range, nowMs, height, ...mark }: MarksProps) {
  return ofKind(entries, 'deed').map((entry) => {
    const { from } = placeOf(entry, range, nowMs);
    return (
      <Mark key={entry.id} entry={entry} className="text-brass-strong" {...mark}>
        <line
          x1={percent(from)}
          x2={percent(from)}
          y1="0"
          y2={height}
          stroke="currentColor"
          strokeDasharray="2 2"
        />
        <At place={from}>
          <path d="M0 0 H9 L6.5 4 L9 8 H0 Z" fill="currentColor" />
        </At>
      </Mark>
    );
  });
}

interface ChosenProps extends Pick<MarksProps, 'range' | 'nowMs' | 'height'> {
  readonly entry: Entry;
}

/** A frame around the one that is chosen. */
export function ChosenMark({ range, nowMs, height, entry }: ChosenProps) {
  const span = placeOf(entry, range, nowMs);
  const frame = { fill: 'none', strokeWidth: 2, rx: 2, className: 'stroke-ink' };
  if (entry.kind === 'limit' || entry.kind === 'deed')
    return (
      <At place={span.from}>
        <rect x={entry.kind === 'limit' ? -7 : -2} y="-1" width="14" height="14" {...frame} />
      </At>
    );
  const isHigh = entry.kind === 'gap';
  return (
    <rect
      x={percent(span.from)}
      width={widthOf(span)}
      y={isHigh ? 1 : findingTop - 2}
      height={isHigh ? height - 2 : findingHeight + 4}
      {...frame}
    />
  );
}
