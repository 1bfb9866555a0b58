import { clsx } from 'clsx';
import { Marked } from '@/components/marks/marked';
import { cutName, nameParts, plain } from '@/lib/i18n/format/format';

const noMarks: readonly number[] = [];

/** Some four lines of a phone. */
const leadMax = 64;
const lastMax = 80;

interface NameProps {
  readonly name: string;
  readonly large?: boolean;
  /** Begins and ends of what a search found in it. */
  readonly marks?: readonly number[];
}

/**
 * A key or prefix as a path: the leading part dimmed, the last part strong. Without room the lead shortens first; a
 * large name takes lines instead. The title has the whole.
 */
export function Name({ name, large = false, marks = noMarks }: NameProps) {
  const { lead, last, tail } = nameParts(name);
  const isCut = large && (cutName(lead, leadMax) !== lead || cutName(last, lastMax) !== last);
  const part = (text: string, at: number) => <Marked text={text} ranges={marks.map((place) => place - at)} />;
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
      {isCut ? <span className="sr-only">{plain(name)}</span> : null}
      {lead === '' ? null : (
        <span
          aria-hidden={isCut || undefined}
          className={clsx('text-ink-dim', large ? '' : 'min-w-[2ch] shrink-[9999] truncate')}
        >
          {large ? cutName(lead, leadMax) : part(lead, 0)}
        </span>
      )}
      <span
        aria-hidden={isCut || undefined}
        className={clsx('font-semibold text-ink', large ? '' : 'truncate')}
      >
        {large ? cutName(last, lastMax) : part(last, lead.length)}
      </span>
      {tail === '' ? null : (
        <span aria-hidden={isCut || undefined} className="shrink-0 text-ink-dim">
          {part(tail, lead.length + last.length)}
        </span>
      )}
    </span>
  );
}
