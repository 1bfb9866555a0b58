'use client';
import { useMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';

/** Offers what waits while rows are held in place; nothing when nothing does. */
export function ChangesButton({ changes, onApply }: { changes: number; onApply: () => void }) {
  const { board } = useMessages();
  if (changes === 0) return null;
  return (
    <div className="pointer-events-none fixed inset-x-0 bottom-5 z-20 flex justify-center">
      <Button
        tone="primary"
        title={board.changesHelp}
        onClick={onApply}
        className="pointer-events-auto rounded-full! shadow-lg"
      >
        {board.changesWaiting(changes)}
      </Button>
    </div>
  );
}
