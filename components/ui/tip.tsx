'use client';
import { cloneElement, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';

/** A pointer that only passes by asks for nothing. */
const openAfterMs = 250;
/** Long enough to get from the thing to its explanation, which stays while the pointer is on it (WCAG 1.4.13). */
const closeAfterMs = 150;

type Described = React.ReactElement<{ 'aria-describedby'?: string | undefined }>;

interface TipProps {
  /** `null`: nothing is explained. */
  readonly text: React.ReactNode;
  /**
   * One element that can take the focus and passes `aria-describedby` on. `data-explains`: it is there for its
   * explanation alone.
   */
  readonly children: Described;
}

/** True when a press of the element does something else than to explain it. */
const acts = (child: Element | null) =>
  child?.hasAttribute('data-explains') !== true && child?.getAttribute('aria-disabled') !== 'true';

/**
 * Explains something on hover, on focus, and on a press that would otherwise do nothing, because a finger can do
 * neither. The child stays the same element and keeps its focus.
 */
export function Tip({ text, children }: TipProps) {
  const id = useId();
  const [anchor, setAnchor] = useState<Element | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const later = (act: () => void, ms: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(act, ms);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const close = () => {
    clearTimeout(timer.current);
    setAnchor(null);
  };
  const open = anchor !== null && text !== null;
  const { 'aria-describedby': own } = children.props;
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the span only hears the events of its child. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keyboard users open it by focus. */}
      <span
        className="contents"
        onPointerOver={({ pointerType, currentTarget }) => {
          const { firstElementChild } = currentTarget;
          if (pointerType === 'mouse') later(() => setAnchor(firstElementChild), openAfterMs);
        }}
        onPointerLeave={({ pointerType }) => {
          // A lifted finger has left.
          if (pointerType === 'mouse') later(close, closeAfterMs);
        }}
        onPointerDown={close}
        onClick={({ currentTarget: { firstElementChild } }) => {
          // A late tip would be unexpected.
          if (text === null || acts(firstElementChild)) return;
          clearTimeout(timer.current);
          setAnchor(firstElementChild);
        }}
        onFocus={({ currentTarget, target }) => {
          // A mouse press shows that the person knows it.
          if (target.matches(':focus-visible')) setAnchor(currentTarget.firstElementChild);
        }}
        onBlur={close}
      >
        {cloneElement(children, {
          'aria-describedby': open ? [own, id].filter(Boolean).join(' ') : own,
        })}
      </span>
      {open ? (
        <Shown id={id} anchor={anchor} onClose={close} onStay={() => clearTimeout(timer.current)}>
          {text}
        </Shown>
      ) : null}
    </>
  );
}

/** A word with its explanation, shown on hover, tap and keyboard focus. */
export function Explained({ text, children }: { text: string; children: string }) {
  return (
    <Tip text={text}>
      <button
        type="button"
        data-explains=""
        className="cursor-help underline decoration-dotted decoration-line-strong underline-offset-3"
      >
        {children}
      </button>
    </Tip>
  );
}

interface ShownProps {
  readonly id: string;
  readonly anchor: Element;
  readonly onClose: () => void;
  /** The pointer is on it. */
  readonly onStay: () => void;
  readonly children: React.ReactNode;
}

/** A native popover: the browser places it, keeps it in the window, and closes it for Escape and a press elsewhere. */
function Shown({ id, anchor, onClose, onStay, children }: ShownProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // A browser without popovers shows it at the end of the page.
    if (box.current !== null && 'showPopover' in box.current && anchor instanceof HTMLElement)
      box.current.showPopover({ source: anchor });
  }, [anchor]);
  return createPortal(
    <div
      ref={box}
      id={id}
      role="tooltip"
      popover="auto"
      onToggle={({ newState }) => {
        if (newState === 'closed') onClose();
      }}
      onPointerEnter={onStay}
      onPointerLeave={({ pointerType }) => {
        if (pointerType === 'mouse') onClose();
      }}
      className="max-w-[min(20rem,calc(100vw-1rem))] rounded-[5px] border border-line-strong bg-raised px-3 py-2 text-[13px] text-ink shadow-lg [position-area:top] [position-try-fallbacks:flip-block] supports-[position-area:top]:inset-auto supports-[position-area:top]:m-1.5"
    >
      {children}
    </div>,
    document.body,
  );
}
