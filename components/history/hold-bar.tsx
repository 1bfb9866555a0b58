'use client';
/** One hold on a drawn timeline: a part for each verdict, its holder's name where there is room, a frame when chosen. */
import { clsx } from 'clsx';
import type { Verdict } from '@/lib/domain/model';
import { cutName } from '@/lib/i18n/format/format';
import type { Bar } from '@/lib/view/history/timeline';
import { barHeight, headHeight, laneHeight, percent, widthOf } from './measures';

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

const nameMax = 60;

interface HoldBarProps {
  readonly bar: Bar;
  readonly patterns: string;
  readonly chosen: boolean;
  readonly label: string;
  readonly onChoose: () => void;
}

export function HoldBar({ bar, patterns, chosen, label, onChoose }: HoldBarProps) {
  const y = headHeight + bar.lane * laneHeight + (laneHeight - barHeight) / 2;
  const isPatterned = bar.parts.some(({ verdict }) => striped.has(verdict) || dotted.has(verdict));
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
        {bar.to - bar.from < 0.06 ? null : (
          <text
            x="5"
            y="14"
            className={clsx(
              'forced-color-adjust-none text-[11px]',
              // A name on a pattern is readable only with a border.
              isPatterned ? 'fill-ink stroke-panel stroke-[3px] [paint-order:stroke]' : 'fill-panel',
            )}
          >
            {cutName(bar.hold.who.label, nameMax)}
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
