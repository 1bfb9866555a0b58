'use client';
import { useMessages } from '@/components/dom/locale';

/** On paper, below a list: how many rows more there are. */
export function Unprinted({ rows }: { rows: number }) {
  const { board } = useMessages();
  return rows === 0 ? null : (
    <p className="hidden px-4 pt-3 text-[12px] print:block">{board.unprinted(rows)}</p>
  );
}
