'use client';
/** The place of the past board. Until its code is there, nothing of the present is shown either. */
import { useEffect } from 'react';
import { lazyPart } from '@/components/dom/lazy-part';
import { useMessages } from '@/components/dom/locale';

const pastBoard = lazyPart(async () => (await import('./past-board')).PastBoard);

export function PastPlace({ atMs }: { atMs: number }) {
  const { shell } = useMessages();
  const PastBoard = pastBoard.usePart();
  useEffect(() => {
    void pastBoard.load();
  }, []);
  if (PastBoard !== null) return <PastBoard atMs={atMs} />;
  return (
    <p role="status" className="px-4 py-8 text-[15px] text-ink-dim sm:px-6">
      {shell.loading}
    </p>
  );
}
