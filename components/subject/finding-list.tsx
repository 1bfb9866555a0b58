'use client';
import { useAllMessages } from '@/components/dom/locale';
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
  const m = useAllMessages();
  const sorted = [...findings].sort(
    (a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity),
  );
  return (
    <ul className="flex flex-col gap-4">
      {sorted.map((finding) => (
        <li
          key={finding.id}
          className="flex flex-col gap-x-8 gap-y-1 lg:grid lg:grid-cols-[minmax(0,75ch)_minmax(13rem,1fr)]"
        >
          <div className="flex min-w-0 gap-2">
            <SeverityMark severity={finding.severity} />
            <div className="min-w-0">
              <p className="mb-1">
                <span className="sr-only">{`${m.severities[finding.severity]}${m.colon}`}</span>
                {findingText(finding, m)} <Calm finding={finding} />
              </p>
              <Grounds finding={finding} />
            </div>
          </div>
          {offered !== null && JSON.stringify(offered) === JSON.stringify(finding.mend) ? null : (
            <Mend finding={finding} />
          )}
        </li>
      ))}
    </ul>
  );
}
