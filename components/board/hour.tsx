'use client';
/** The column of the last hour. The place is there from the start, and the code comes in an idle moment. */
import { useEffect } from 'react';
import { lazyPart } from '@/components/dom/lazy-part';
import { useMessages } from '@/components/dom/locale';
import { useBroad } from '@/components/dom/media';
import { useFrozen } from '@/components/live/frozen';
import { useConnection } from '@/lib/client/page-data';

const cell = lazyPart(async () => (await import('@/components/history/hour-column')).HourCell);
const state = lazyPart(async () => (await import('@/components/history/hour-column')).HourState);

/**
 * True only where the column has its place. Beside a frozen board, the present hour would look like the hour of the
 * board.
 */
function useShown(): boolean {
  const isBroad = useBroad();
  return useFrozen() === null && isBroad;
}

export function Hour({ subject }: { subject: string }) {
  const Cell = cell.usePart();
  const isShown = useShown();
  return Cell === null || !isShown ? null : <Cell subject={subject} />;
}

/** Idle moments may have passed before the board came, and not every browser has them. */
const lateMs = 1_000;

export function HourHead() {
  const { columns } = useMessages().board;
  const State = state.usePart();
  const isShown = useShown();
  const isWanted = useConnection().state === 'live' && isShown;
  useEffect(() => {
    if (!isWanted) return;
    const timer = setTimeout(() => void Promise.all([cell.load(), state.load()]), lateMs);
    return () => clearTimeout(timer);
  }, [isWanted]);
  return (
    <span className="flex gap-1.5 whitespace-nowrap">
      {columns.hour}
      {State === null || !isShown ? null : <State />}
    </span>
  );
}
