'use client';
import { MendButton } from '@/components/actions/mend-button';
import { Link } from '@/components/dom/link';
import { useAllMessages } from '@/components/dom/locale';
import { useNow, useZone } from '@/components/live/clock';
import { Lamp } from '@/components/marks/lamp';
import { Name } from '@/components/marks/name';
import { SessionId } from '@/components/marks/session-id';
import { subjectPath } from '@/lib/client/paths';
import type { Action } from '@/lib/domain/actions/action';
import type { Finding, Ground } from '@/lib/domain/findings/finding';
import { type Evidence, subjectId, subjectName } from '@/lib/domain/model';
import { formatWhen } from '@/lib/i18n/format/format';

/** The evidence of a finding, closed at first: its sentence says enough. */
export function Grounds({ finding }: { finding: Finding }) {
  const m = useAllMessages();
  const texts = m.findingsPage;
  const problem =
    finding.code === 'unreadable-entry'
      ? m.entryProblems[finding.facts.problem](finding.facts.detail)
      : finding.code === 'wrong-flags'
        ? m.entryProblems['wrong-flags'](finding.facts.flags)
        : null;
  if (problem === null && finding.grounds.length === 0) return null;
  return (
    <details className="text-[13px]">
      <summary className="w-fit cursor-pointer text-ink-dim">{texts.why(finding.grounds.length)}</summary>
      {problem === null ? null : <p className="mt-1 max-w-[75ch] text-ink-soft">{problem}</p>}
      <ul className="mt-2 flex flex-col gap-3">
        {finding.grounds.map((ground) => (
          <li key={subjectId(ground.subject)}>
            <One ground={ground} other={sameAction(ground.mend, finding.mend) ? null : ground.mend} />
          </li>
        ))}
      </ul>
    </details>
  );
}

const sameAction = (a: Action | null, b: Action | null) => JSON.stringify(a) === JSON.stringify(b);

function One({ ground, other }: { ground: Ground; other: Action | null }) {
  const m = useAllMessages();
  const { verdict, subject, label, wants, evidence } = ground;
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          {verdict === null ? null : <Lamp kind={verdict} />}
          {label === null ? null : <span className="break-all font-medium">{label}</span>}
          {verdict === null ? null : <span className="text-ink-soft">{m.verdicts[verdict].word}</span>}
          {subject.kind === 'session' ? (
            <SessionId id={subject.id} />
          ) : (
            <Link href={subjectPath(subject)}>
              <Name name={subjectName(subject)} />
            </Link>
          )}
        </p>
        {wants.length === 0 ? null : (
          <p className="mt-0.5 flex flex-wrap gap-x-2 text-ink-soft">
            {m.findingsPage.wants}
            {wants.map((want) => (
              <Link key={subjectId(want)} href={subjectPath(want)} className="underline underline-offset-3">
                <Name name={subjectName(want)} />
              </Link>
            ))}
          </p>
        )}
        <EvidenceFacts evidence={evidence} />
      </div>
      {other === null ? null : <MendButton action={other} />}
    </div>
  );
}

/** A list of facts, each with its source. */
export function EvidenceFacts({ evidence }: { evidence: readonly Evidence[] }) {
  const m = useAllMessages();
  const nowMs = useNow();
  const zone = useZone();
  if (evidence.length === 0) return null;
  return (
    <ul className="mt-1 flex flex-col gap-0.5">
      {evidence.map(({ code, source, detail, atMs }) => (
        <li key={`${code} ${detail}`} className="flex gap-3">
          <span className="w-24 shrink-0 text-ink-dim">{m.evidenceSources[source] ?? source}</span>
          <span className="min-w-0 break-words">
            {m.evidence[code](detail, atMs === null ? null : formatWhen(atMs, nowMs, zone))}
          </span>
        </li>
      ))}
    </ul>
  );
}
