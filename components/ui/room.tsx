'use client';
import { useEffect, useLayoutEffect, useRef } from 'react';

/**
 * Keeps at least its earlier height when its content changes, so that nothing below jumps up. The height is free again
 * when a person folds something in it or the window changes.
 */
export function Room({
  of,
  className,
  children,
}: {
  of: string;
  className?: string;
  children: React.ReactNode;
}) {
  const element = useRef<HTMLDivElement>(null);
  const height = useRef(0);
  const before = useRef(of);
  useLayoutEffect(() => {
    if (before.current === of || element.current === null) return;
    before.current = of;
    element.current.style.minHeight = `${height.current}px`;
  }, [of]);
  useEffect(() => {
    const place = element.current;
    if (place === null) return;
    const measured = new ResizeObserver(() => {
      height.current = place.offsetHeight;
    });
    measured.observe(place);
    const letGo = () => {
      place.style.minHeight = '';
    };
    // A fold does not bubble.
    place.addEventListener('toggle', letGo, true);
    window.addEventListener('resize', letGo);
    return () => {
      measured.disconnect();
      place.removeEventListener('toggle', letGo, true);
      window.removeEventListener('resize', letGo);
    };
  }, []);
  return (
    <div ref={element} className={className}>
      {children}
    </div>
  );
}
