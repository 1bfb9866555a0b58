'use client';
import { clsx } from 'clsx';
import { useMessages } from '@/components/dom/locale';
import { Icon } from '@/components/ui/icon';

interface MoreFiltersProps {
  readonly open: boolean;
  /** The number of hidden filters that narrow the list. */
  readonly on: number;
  readonly onChange: (open: boolean) => void;
}

/** The further filters and orders of a list on a phone, where the rows are to begin in the upper half of the window. */
export function MoreFilters({ open, on, onChange }: MoreFiltersProps) {
  const { more } = useMessages().board.filters;
  return (
    <button
      type="button"
      aria-expanded={open}
      onClick={() => onChange(!open)}
      className={clsx(
        'inline-flex shrink-0 items-center gap-1.5 rounded-[5px] border px-2.5 text-[13px] md:hidden',
        on > 0 ? 'border-brass bg-brass-wash text-ink' : 'border-line text-ink-soft',
      )}
    >
      {on > 0 ? `${more} · ${on}` : more}
      <Icon name="open" size={13} className={clsx('text-ink-dim', open && 'rotate-180')} />
    </button>
  );
}
