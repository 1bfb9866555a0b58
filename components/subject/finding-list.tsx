'use client';
import { useMessages } from '@/components/dom/locale';
import { Calm, Mend } from '@/components/findings/finding-row';
import { Grounds } from '@/components/findings/grounds';
import { SeverityMark } from '@/components/marks/severity-mark';
import type { Action } from '@/lib/domain/actions/action';
import { type Finding, severities } from '@/lib/domain/findings/finding';
import { findingText } from '@/lib/i18n/sentences';

interface FindingListProps {
  readonly findings: readonly Finding[];
  /** The action that the page already offers above, and that is not repeated here. */
  readonly offered?: Action | null;
}

/** The findings here, the most urgent first, each with its reasons and its remedy. */
export function FindingList({ findings, offered = null }: FindingListProps) {
  const m = useMessages();
  const sorted = [...findings].sort(
    (a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity),
  );
  return (
    <ul className="flex flex-col gap-4">
      {sorted.map((finding) => (
        <li key={finding.id} className="flex flex-col gap-1">
          <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
            <span className="flex min-w-0 max-w-[75ch] gap-2">
              <SeverityMark severity={finding.severity} />
              <span className="min-w-0">
                {findingText(finding, m)} <Calm finding={finding} />
              </span>
            </span>
            {offered !== null && JSON.stringify(offered) === JSON.stringify(finding.mend) ? null : (
              <Mend finding={finding} />
            )}
          </div>
          <Grounds finding={finding} />
        </li>
      ))}
    </ul>
  );
}
