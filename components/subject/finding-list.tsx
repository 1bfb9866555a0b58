'use client';
import { clsx } from 'clsx';
import { useMessages } from '@/components/locale';
import { findingText } from '@/lib/client/sentences';
import type { Finding } from '@/lib/domain/finding';

const marks: Readonly<Record<Finding['severity'], { readonly text: string; readonly colour: string }>> = {
  urgent: { text: '▲', colour: 'text-danger' },
  warning: { text: '△', colour: 'text-caution' },
  notice: { text: '·', colour: 'text-ink-dim' },
};

/** What needs attention here, the most urgent first. What mends it is offered beside its subject, once. */
export function FindingList({ findings }: { findings: readonly Finding[] }) {
  const m = useMessages();
  const order = ['urgent', 'warning', 'notice'] as const;
  const sorted = [...findings].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
  return (
    <ul className="flex flex-col gap-2.5">
      {sorted.map((finding) => (
        <li key={finding.id} className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
          <span className="flex min-w-0 max-w-[75ch] gap-2">
            <span aria-hidden="true" className={clsx('text-[12px]', marks[finding.severity].colour)}>
              {marks[finding.severity].text}
            </span>
            <span>{findingText(finding, m)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
