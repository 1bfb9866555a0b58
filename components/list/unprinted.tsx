'use client';
import { useMessages } from '@/components/dom/locale';

/** The number of further rows, below a list on paper. */
export function Unprinted({ rows }: { rows: number }) {
  const { board } = useMessages();
  return rows === 0 ? null : (
    <p className="hidden px-4 pt-3 text-[12px] print:block">{board.unprinted(rows)}</p>
  );
}
