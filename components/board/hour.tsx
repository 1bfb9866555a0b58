'use client';
/** The column of the last hour. Its place is there from the start; its code comes in an idle moment. */
import { useEffect } from 'react';
import { lazyPart } from '@/components/dom/lazy-part';
import { useMessages } from '@/components/dom/locale';

const cell = lazyPart(async () => (await import('@/components/history/hour-column')).HourCell);
const state = lazyPart(async () => (await import('@/components/history/hour-column')).HourState);

export function Hour({ subject }: { subject: string }) {
  const Cell = cell.usePart();
  return Cell === null ? null : <Cell subject={subject} />;
}

/** Where the browser has no idle moments, the code comes after the first ones. */
const lateMs = 2_000;

export function HourHead() {
  const { columns } = useMessages().board;
  const State = state.usePart();
  useEffect(() => {
    if (typeof requestIdleCallback !== 'undefined') return;
    const timer = setTimeout(() => void Promise.all([cell.load(), state.load()]), lateMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <span className="flex gap-1.5 whitespace-nowrap">
      {columns.hour}
      {State === null ? null : <State />}
    </span>
  );
}
