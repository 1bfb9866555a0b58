'use client';
/** The column of the last hour. Its place is there from the start; its code comes in an idle moment. */
import { useEffect } from 'react';
import { lazyPart } from '@/components/dom/lazy-part';
import { useMessages } from '@/components/dom/locale';
import { useConnection } from '@/lib/client/page-data';

const cell = lazyPart(async () => (await import('@/components/history/hour-column')).HourCell);
const state = lazyPart(async () => (await import('@/components/history/hour-column')).HourState);

export function Hour({ subject }: { subject: string }) {
  const Cell = cell.usePart();
  return Cell === null ? null : <Cell subject={subject} />;
}

/** Idle moments may have passed before the board came, and not every browser has them. */
const lateMs = 1_000;

export function HourHead() {
  const { columns } = useMessages().board;
  const State = state.usePart();
  const isLive = useConnection().state === 'live';
  useEffect(() => {
    if (!isLive) return;
    const timer = setTimeout(() => void Promise.all([cell.load(), state.load()]), lateMs);
    return () => clearTimeout(timer);
  }, [isLive]);
  return (
    <span className="flex gap-1.5 whitespace-nowrap">
      {columns.hour}
      {State === null ? null : <State />}
    </span>
  );
}
