import { clsx } from 'clsx';
import { nameParts } from '@/lib/client/format';

/**
 * A key or prefix as a path: the leading part dimmed, the last meaningful part strong. When there is no room the
 * lead gives way first, so that a long name shortens in its middle; the whole is in the title.
 */
export function Name({ name, large = false }: { name: string; large?: boolean }) {
  const { lead, last, tail } = nameParts(name);
  return (
    <span
      title={name}
      className={clsx(
        'inline-flex min-w-0 max-w-full font-mono',
        large
          ? 'flex-wrap whitespace-pre-wrap break-all text-[17px] leading-6'
          : 'whitespace-pre text-[13px]',
      )}
    >
      {lead === '' ? null : (
        <span className={clsx('text-ink-dim', large ? '' : 'min-w-[2ch] shrink-[9999] truncate')}>
          {lead}
        </span>
      )}
      <span className={clsx('font-semibold text-ink', large ? '' : 'truncate')}>{last}</span>
      {tail === '' ? null : <span className="shrink-0 text-ink-dim">{tail}</span>}
    </span>
  );
}
