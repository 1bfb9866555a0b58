'use client';
import { clsx } from 'clsx';
import { formatCount } from '@/lib/i18n/format/format';

interface ChipProps {
  readonly text: string;
  /** `null`: not known yet. */
  readonly count: number | null;
  readonly on: boolean;
  readonly urgent: boolean;
  readonly onClick: () => void;
}

/** A filter of a list, with how many rows it would show. */
export function Chip({ text, count, on, urgent, onClick }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={on}
      onClick={onClick}
      className={clsx(
        'inline-flex h-7 shrink-0 items-center gap-2 whitespace-nowrap rounded-[5px] border px-2.5 text-[13px]',
        on
          ? 'border-brass bg-brass-wash text-ink'
          : 'border-line text-ink-soft hover:border-line-strong hover:text-ink',
      )}
    >
      {text}
      {count === null ? null : (
        <span className={urgent ? 'font-medium text-danger' : 'text-ink-dim'}>{formatCount(count)}</span>
      )}
    </button>
  );
}
