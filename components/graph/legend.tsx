'use client';
/** The meaning of the shapes, lines and lamps of the drawing. */
import { useAllMessages } from '@/components/dom/locale';
import { Lamp } from '@/components/marks/lamp';
import { useLampWord } from '@/components/marks/slots';
import type { LampKind } from '@/lib/view/board-rows';
import { lampOf } from './box-view';
import type { Box } from './drawing';

const order: readonly LampKind[] = [
  'alive',
  'overdue',
  'suspect',
  'node-bound',
  'immortal',
  'ghost',
  'unknown',
  'waiting',
];

/** The lamps that are drawn. A legend of others would be read for nothing. */
function lampsIn(boxes: readonly Box[]): readonly LampKind[] {
  const drawn = new Set(
    boxes.flatMap((box) => (box.kind === 'semaphore' || box.kind === 'lock' ? [] : lampOf(box))),
  );
  return order.filter((kind) => drawn.has(kind));
}

export function Legend({ boxes }: { boxes: readonly Box[] }) {
  const { legend, knot } = useAllMessages().graph;
  const word = useLampWord();
  return (
    <ul aria-label={legend.label} className="flex flex-wrap gap-x-5 gap-y-1.5 text-[12px] text-ink-soft">
      <Entry text={legend.thing}>
        <rect x="1" y="3" width="26" height="10" rx="1.5" className="fill-raised stroke-line-strong" />
      </Entry>
      <Entry text={legend.client}>
        <rect x="1" y="3" width="26" height="10" rx="5" className="fill-raised stroke-line-strong" />
      </Entry>
      <Entry text={legend.waits}>
        <path d="M1 8 H21" className="stroke-ink-dim" strokeWidth="1.4" />
        <path d="M20 4.5 L27 8 L20 11.5 Z" className="fill-ink-dim" />
      </Entry>
      <Entry text={legend.heldBy}>
        <path d="M1 8 H27" className="stroke-ink-dim" strokeWidth="1.4" strokeDasharray="2 4" />
      </Entry>
      {boxes.some(({ inKnot }) => inKnot) ? (
        <Entry text={knot}>
          <rect
            x="1"
            y="1.5"
            width="26"
            height="13"
            rx="6.5"
            fill="none"
            className="stroke-danger"
            strokeWidth="2"
          />
          <rect x="4" y="4.5" width="20" height="7" rx="3.5" fill="none" className="stroke-danger" />
        </Entry>
      ) : null}
      {lampsIn(boxes).map((kind) => (
        <li key={kind} className="inline-flex items-center gap-1.5">
          <Lamp kind={kind} size={13} />
          {word(kind)}
        </li>
      ))}
    </ul>
  );
}

function Entry({ text, children }: { text: string; children: React.ReactNode }) {
  return (
    <li className="inline-flex items-center gap-1.5">
      <svg viewBox="0 0 28 16" width={28} height={16} aria-hidden="true" className="shrink-0">
        {children}
      </svg>
      {text}
    </li>
  );
}
