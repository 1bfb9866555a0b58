'use client';
/** One finding: its subject, its sentence, its evidence, and the button or the owner that can mend it. */
import { clsx } from 'clsx';
import { MendButton } from '@/components/actions/mend-button';
import { Link } from '@/components/dom/link';
import { useAllMessages } from '@/components/dom/locale';
import { Time } from '@/components/live/clock';
import { OfSource, useShownSource } from '@/components/live/sources';
import { Name } from '@/components/marks/name';
import { SourceBadge } from '@/components/marks/source-badge';
import { paths, subjectPath } from '@/lib/client/paths';
import type { Finding } from '@/lib/domain/findings/finding';
import { type Subject, shortId, subjectId, subjectName } from '@/lib/domain/model';
import { findingOwner, findingText } from '@/lib/i18n/sentences';
import { Grounds } from './grounds';

interface RowProps {
  readonly finding: Finding;
  /** `null`: still there. */
  readonly goneAtMs: number | null;
  /** The choice for a bulk action; `null`: none is offered. */
  readonly chosen: boolean | null;
  readonly onChoose: (chosen: boolean) => void;
}

export function FindingRow(props: RowProps) {
  return (
    <OfSource source={props.finding.subject.source}>
      <Shown {...props} />
    </OfSource>
  );
}

function Shown({ finding, goneAtMs, chosen, onChoose }: RowProps) {
  const m = useAllMessages();
  const texts = m.findingsPage;
  const name = subjectName(finding.subject);
  const source = useShownSource(finding.subject.source);
  const old = source?.isGrey === true;
  if (goneAtMs !== null)
    return (
      <li data-gone className="flex flex-wrap items-baseline gap-x-3 px-4 py-2.5 text-ink-dim sm:px-6">
        <SubjectLink subject={finding.subject} />
        <SourceBadge source={finding.subject.source} />
        <span className="text-[13px]">
          {m.findings[finding.code].short} · {texts.gone} <Time atMs={goneAtMs} />
        </span>
      </li>
    );
  return (
    <li className={clsx('flex gap-3 px-4 py-3 sm:px-6', old && 'not-fresh')}>
      {chosen === null ? null : (
        <input
          type="checkbox"
          checked={chosen}
          onChange={(event) => onChoose(event.target.checked)}
          aria-label={texts.prune.select(source === null ? name : `${name} · ${source.title}`)}
          className="mt-1 size-4 shrink-0 accent-brass"
        />
      )}
      <div
        className={clsx(
          'flex min-w-0 flex-1 flex-col gap-x-8 gap-y-1 lg:grid',
          // Beside a box to tick the name has that much less room.
          chosen === null
            ? 'lg:grid-cols-[minmax(11rem,16rem)_minmax(0,75ch)_minmax(13rem,1fr)]'
            : 'lg:grid-cols-[minmax(9.25rem,14.25rem)_minmax(0,75ch)_minmax(13rem,1fr)]',
        )}
      >
        <p className="flex min-w-0 flex-wrap content-start items-baseline gap-x-2 lg:flex-col lg:flex-nowrap">
          <SubjectLink subject={finding.subject} />
          {finding.also.map((also) => (
            <SubjectLink key={subjectId(also)} subject={also} />
          ))}
          <SourceBadge source={finding.subject.source} />
        </p>
        <div className="min-w-0">
          <p className="mb-1 max-w-[75ch]">
            <span className="sr-only">{m.severities[finding.severity]}: </span>
            {findingText(finding, m)} <Calm finding={finding} />
          </p>
          <Grounds finding={finding} />
        </div>
        <Mend finding={finding} />
      </div>
    </li>
  );
}

/** Says when the severity of a finding falls, if its subject stays as calm as it is now. */
export function Calm({ finding: { easing } }: { finding: Finding }) {
  const { calm } = useAllMessages().findingsPage;
  if (easing == null) return null;
  const [before, after] = calm(easing.to);
  return (
    <span className="text-ink-dim">
      {before}
      <Time atMs={easing.atMs} />
      {after}
    </span>
  );
}

/** The button that mends a finding, or the owner to ask. */
export function Mend({ finding }: { finding: Finding }) {
  const m = useAllMessages();
  const isDeadlock = finding.code === 'deadlock';
  return (
    <span className="flex max-w-full flex-col items-start gap-1.5 max-lg:mt-1">
      {finding.mend === null ? null : (
        <MendButton action={finding.mend} tone={finding.severity === 'urgent' ? 'danger' : 'plain'} />
      )}
      {finding.mend === null || isDeadlock ? (
        <span className="max-w-[46ch] text-[13px] text-ink-soft max-lg:border-line-strong max-lg:border-l-2 max-lg:pl-3">
          <span className="sr-only">{m.findingsPage.advice}: </span>
          {findingOwner(finding, m)}
        </span>
      ) : null}
      {isDeadlock ? (
        <Link href={paths.graph()} className="text-[13px] underline underline-offset-3">
          {m.findingsPage.inGraph}
        </Link>
      ) : null}
    </span>
  );
}

function SubjectLink({ subject }: { subject: Subject }) {
  const name = subject.kind === 'session' ? shortId(subject.id) : subjectName(subject);
  return (
    <Link
      href={subjectPath(subject)}
      className="min-w-0 max-w-full underline decoration-line-strong underline-offset-3 hover:decoration-brass"
    >
      <Name name={name} />
    </Link>
  );
}
