'use client';
import { useMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';

/** Offers the waiting changes while rows are held; nothing when there are none. */
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
