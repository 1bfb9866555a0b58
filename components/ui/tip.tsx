'use client';
import { cloneElement, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';

/** A pointer that only passes by asks for nothing. */
const openAfterMs = 250;
/** Long enough to get from the thing to its explanation, which stays while the pointer is on it (WCAG 1.4.13). */
const closeAfterMs = 150;
const gapPx = 6;
const edgePx = 8;

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

/** Whether a press of it does something else than to explain it. */
const acts = (child: Element | null) =>
  child?.hasAttribute('data-explains') !== true && child?.getAttribute('aria-disabled') !== 'true';

/**
 * Explains something on hover, on focus, and on a press that would otherwise do nothing: a finger can neither hover nor
 * walk by keyboard. The child stays the same element, with the focus that it has, while what is
 * explained comes and goes.
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
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it hears what happens to its child and is no box of its own. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: whoever walks by keyboard has it with the focus. */}
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

interface ShownProps {
  readonly id: string;
  readonly anchor: Element;
  readonly onClose: () => void;
  /** The pointer is on it. */
  readonly onStay: () => void;
  readonly children: React.ReactNode;
}

function Shown({ id, anchor, onClose, onStay, children }: ShownProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const of = anchor.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = element;
    const above = of.top - gapPx - height;
    const left = of.left + of.width / 2 - width / 2;
    element.style.top = `${above < edgePx ? of.bottom + gapPx : above}px`;
    element.style.left = `${Math.max(edgePx, Math.min(window.innerWidth - width - edgePx, left))}px`;
  }, [anchor]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') onClose();
    };
    const onPointerDown = ({ target }: PointerEvent) => {
      if (!(target instanceof Node && (box.current?.contains(target) || anchor.contains(target)))) onClose();
    };
    document.addEventListener('keydown', onKeyDown);
    document.addEventListener('pointerdown', onPointerDown);
    // What it stands beside moves away from under it.
    window.addEventListener('scroll', onClose, { capture: true, passive: true });
    return () => {
      document.removeEventListener('keydown', onKeyDown);
      document.removeEventListener('pointerdown', onPointerDown);
      window.removeEventListener('scroll', onClose, { capture: true });
    };
  }, [anchor, onClose]);
  return createPortal(
    <div
      ref={box}
      id={id}
      role="tooltip"
      onPointerEnter={onStay}
      onPointerLeave={({ pointerType }) => {
        if (pointerType === 'mouse') onClose();
      }}
      className="fixed z-50 max-w-[min(20rem,calc(100vw-1rem))] rounded-[5px] border border-line-strong bg-raised px-3 py-2 text-[13px] text-ink shadow-lg"
    >
      {children}
    </div>,
    document.body,
  );
}
