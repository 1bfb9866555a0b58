'use client';
/**
 * The lamp's shape says the state, its colour only repeats it, and a word stands beside it or is its accessible name. A
 * new verdict fails to compile without a shape and a colour.
 */
import { clsx } from 'clsx';
import { useEffect, useRef } from 'react';
import type { LampKind } from '@/lib/view/board-rows';

/** Shapes in a box of 16 by 16, drawn with `currentColor`. */
export const lampShapes: Readonly<Record<LampKind, React.ReactNode>> = {
  alive: <circle cx="8" cy="8" r="6" fill="currentColor" />,
  // A disc that loses a quarter, like a clock that runs out.
  overdue: (
    <>
      <path d="M7.2 8.8 V2.6 A6.2 6.2 0 1 0 13.4 8.8 Z" fill="currentColor" />
      <path d="M9.4 1.9 A6.2 6.2 0 0 1 14.1 6.6" fill="none" stroke="currentColor" strokeWidth="1" />
    </>
  ),
  suspect: (
    <>
      <path d="M2 8 A6 6 0 0 0 14 8 Z" fill="currentColor" />
      <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" strokeWidth="1" />
    </>
  ),
  'node-bound': (
    <>
      <rect
        x="1.75"
        y="1.75"
        width="12.5"
        height="12.5"
        rx="1"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
      />
      <circle cx="8" cy="8" r="3.5" fill="currentColor" />
    </>
  ),
  immortal: (
    <>
      <circle cx="8" cy="8" r="7" fill="none" stroke="currentColor" strokeWidth="1.2" />
      <circle cx="8" cy="8" r="4.6" fill="none" stroke="currentColor" strokeWidth="1.2" />
      <circle cx="8" cy="8" r="2.3" fill="currentColor" />
    </>
  ),
  ghost: (
    <circle
      cx="8"
      cy="8"
      r="5.8"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeDasharray="2.6 1.955"
    />
  ),
  unknown: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.2" />
      <path
        d="M3.1 10.2 L10.2 3.1 M4.6 12.6 L12.6 4.6 M7.6 13.5 L13.5 7.6"
        stroke="currentColor"
        strokeWidth="1.1"
      />
    </>
  ),
  free: <circle cx="8" cy="8" r="5.8" fill="none" stroke="currentColor" strokeWidth="1" />,
  delayed: (
    <>
      <circle cx="8" cy="8" r="5.8" fill="none" stroke="currentColor" strokeWidth="1" />
      <path d="M4.8 8 H11.2" stroke="currentColor" strokeWidth="1.8" />
    </>
  ),
  waiting: <circle cx="8" cy="8" r="2.4" fill="currentColor" />,
};

/** The class of each lamp's colour. */
export const lampColours: Readonly<Record<LampKind, string>> = {
  alive: 'text-lamp-alive',
  overdue: 'text-lamp-overdue',
  suspect: 'text-lamp-suspect',
  'node-bound': 'text-lamp-node-bound',
  immortal: 'text-lamp-immortal',
  ghost: 'text-lamp-ghost',
  unknown: 'text-lamp-unknown',
  free: 'text-lamp-free',
  delayed: 'text-lamp-delayed',
  waiting: 'text-lamp-waiting',
};

interface LampProps {
  readonly kind: LampKind;
  /** Omit it only where the word stands beside the lamp. */
  readonly label?: string;
  /** The lamp fades in when the slot changes hands. */
  readonly holder?: string;
  /** The size in pixels: 14 in a row, larger on a shelf. */
  readonly size?: number;
  readonly className?: string;
}

/** Fades when the subject changes, but not when the lamp first appears, as while scrolling. */
function useFade(of: string): React.RefObject<SVGSVGElement | null> {
  const element = useRef<SVGSVGElement>(null);
  const before = useRef(of);
  useEffect(() => {
    if (before.current === of) return;
    before.current = of;
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    element.current?.animate?.([{ opacity: 0 }, { opacity: 1 }], { duration: 200, easing: 'ease-out' });
  }, [of]);
  return element;
}

/** Without a label it is decoration. */
export function Lamp({ kind, label, holder, size = 14, className }: LampProps) {
  const shared = {
    ref: useFade(`${kind} ${holder ?? ''}`),
    viewBox: '0 0 16 16',
    width: size,
    height: size,
    className: clsx('shrink-0', lampColours[kind], className),
    'data-lamp': kind,
  };
  return label === undefined ? (
    <svg {...shared} aria-hidden="true">
      {lampShapes[kind]}
    </svg>
  ) : (
    <svg {...shared} role="img" aria-label={label}>
      <title>{label}</title>
      {lampShapes[kind]}
    </svg>
  );
}
