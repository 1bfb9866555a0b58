'use client';
import { clsx } from 'clsx';
import { useMessages } from '@/components/dom/locale';
import type { Severity } from '@/lib/domain/findings/finding';

const marks: Readonly<Record<Severity, { readonly text: string; readonly colour: string }>> = {
  urgent: { text: '▲', colour: 'text-danger' },
  warning: { text: '△', colour: 'text-caution' },
  notice: { text: '·', colour: 'text-ink-dim' },
};

/** The mark of a severity. Screen readers read its word, except where `near` says that the word stands beside it. */
export function SeverityMark({ severity, near = false }: { severity: Severity; near?: boolean }) {
  const { severities } = useMessages();
  const mark = marks[severity];
  return (
    <>
      <span aria-hidden="true" className={clsx('shrink-0 text-[12px]', mark.colour)}>
        {mark.text}
      </span>
      {near ? null : <span className="sr-only">{severities[severity]}: </span>}
    </>
  );
}
