'use client';
/** The last hour of one row of the board, and the word over an empty column. */
import { clsx } from 'clsx';
import { useCallback, useSyncExternalStore } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { columnHeight, columnWidth, type HourColumn } from '@/lib/domain/history/column';
import { formatDuration } from '@/lib/i18n/format/format';
import type { AllMessages } from '@/lib/i18n/messages';
import { columnOfSubject, columnState, listenTo, listenToState } from './column-store';

/** Less than a minute short of the hour counts as the hour. */
const wholeMs = 59 * 60_000;

export function columnText(
  { heldShare, waitersMax, seenMs, counted }: HourColumn,
  { history, units }: AllMessages,
): string {
  const { column } = history;
  if (heldShare === null) return column.unseen;
  const percent = heldShare > 0 && heldShare < 0.01 ? '<1' : String(Math.round(heldShare * 100));
  const watched = seenMs >= wholeMs ? null : formatDuration(Math.max(1_000, seenMs), units);
  const heldText = column.held(counted ? `≈ ${percent}` : percent, watched);
  return waitersMax === null || waitersMax === 0 ? heldText : column.waited(heldText, waitersMax);
}

export function HourCell({ subject }: { subject: string }) {
  const m = useAllMessages();
  const column = useSyncExternalStore(
    useCallback((listener) => listenTo(subject, listener), [subject]),
    () => columnOfSubject(subject),
    () => null,
  );
  if (column === null) return null;
  const text = columnText(column, m);
  return (
    <svg
      role="img"
      aria-label={text}
      viewBox={`0 0 ${columnWidth} ${columnHeight}`}
      preserveAspectRatio="none"
      width="100%"
      height={columnHeight}
      className={clsx(
        // Unwatched time shows only this ground.
        'block rounded-[2px] bg-inset forced-color-adjust-none',
        (column.waitersMax ?? 0) > 0 ? 'fill-lamp-waiting' : 'fill-lamp-free',
      )}
    >
      <title>{text}</title>
      <path d={column.path} />
    </svg>
  );
}

/** The reason why the column is empty. */
export function HourState() {
  const { column } = useAllMessages().history;
  const state = useSyncExternalStore(listenToState, columnState, () => 'reading' as const);
  return state === 'off' || state === 'away' ? <span title={column.help[state]}>{column[state]}</span> : null;
}
