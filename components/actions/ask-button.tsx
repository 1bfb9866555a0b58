'use client';
/** A button that asks for an action's dialog, or shows why it cannot. */
import { useId, useLayoutEffect, useRef } from 'react';
import { Button } from '@/components/ui/button';
import { Tip } from '@/components/ui/tip';

export interface AskButtonProps {
  /** Verb and object. */
  readonly text: string;
  /** The text with the full name, where it holds only a part. */
  readonly whole?: string | undefined;
  /** The name read aloud, where the text alone names several. */
  readonly spoken?: string;
  readonly tone?: 'plain' | 'danger';
  /** The reason why the button may not act now; `null` when it may. */
  readonly reason: string | null;
  /** The doubt about the action's success; `null` for none. */
  readonly note?: string | null;
  /** The target of the action: the action, and the session that would lose something (`boundTo`). */
  readonly bound: string;
  readonly onAsk: () => void;
  /** The name of the row, and the button's place among the keys of the list. */
  readonly inRow?: { readonly label: string; readonly tabIndex: number };
}

/**
 * The time of the last change of `bound`, on the clock of events. While the browser is busy, a press waits in its
 * queue, and may arrive at a button that stands for the next holder by then.
 */
function useBoundSince(bound: string): React.RefObject<number> {
  const sinceMs = useRef(0);
  const before = useRef(bound);
  useLayoutEffect(() => {
    if (before.current === bound) return;
    before.current = bound;
    sinceMs.current = performance.now();
  }, [bound]);
  return sinceMs;
}

export function AskButton(props: AskButtonProps) {
  const { text, whole, spoken, tone = 'plain', reason, note = null, bound, onAsk, inRow } = props;
  const hint = reason ?? note;
  const reasonId = useId();
  const boundSinceMs = useBoundSince(bound);
  /** The time at which the pointer went down for the next click. */
  const pressedMs = useRef(0);
  return (
    <>
      <Tip text={hint}>
        <Button
          tone={tone}
          className={inRow === undefined ? 'max-w-full' : 'relative h-6! max-w-full px-2! text-[12px]!'}
          title={whole}
          aria-label={inRow?.label ?? spoken}
          tabIndex={inRow?.tabIndex}
          data-bound={bound}
          aria-disabled={reason === null ? undefined : true}
          aria-describedby={hint === null ? undefined : reasonId}
          onPointerDown={(event) => {
            pressedMs.current = event.timeStamp;
          }}
          onClick={(event) => {
            // A click by keyboard has no pointer.
            const aimedMs = event.detail === 0 ? event.timeStamp : pressedMs.current;
            if (reason === null && aimedMs >= boundSinceMs.current) onAsk();
          }}
        >
          <span className="truncate">{text}</span>
        </Button>
      </Tip>
      {hint === null ? null : (
        <span id={reasonId} className="sr-only">
          {hint}
        </span>
      )}
    </>
  );
}
