'use client';
import { useEffect, useRef } from 'react';

/**
 * Lights its background once when `of` changes; nothing moves. The first value does not flash, and reduced motion
 * disables it.
 */
export function Flash({
  of,
  children,
  className,
}: {
  of: string;
  children: React.ReactNode;
  className?: string;
}) {
  const element = useRef<HTMLSpanElement>(null);
  const before = useRef(of);
  useEffect(() => {
    if (before.current === of) return;
    before.current = of;
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    element.current?.animate?.([{ backgroundColor: 'var(--flash)' }, { backgroundColor: 'transparent' }], {
      duration: 1200,
      easing: 'ease-out',
    });
  }, [of]);
  return (
    <span ref={element} className={className}>
      {children}
    </span>
  );
}
