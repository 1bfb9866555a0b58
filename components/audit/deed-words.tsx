'use client';
/** A deed in one line. The order of the parts is the language's. */
import { clsx } from 'clsx';
import { Fragment } from 'react';
import { Link } from '@/components/dom/link';
import { useAllMessages } from '@/components/dom/locale';
import { Name } from '@/components/marks/name';
import { SourceBadge } from '@/components/marks/source-badge';
import { subjectPath } from '@/lib/client/paths';
import type { Deed } from '@/lib/domain/actions/deed';
import { whomIn } from '@/lib/domain/actions/whom';
import { shortId } from '@/lib/domain/model';
import { subjectOfId } from '@/lib/domain/subject';
import type { AllMessages } from '@/lib/i18n/messages';
import { nameOf } from '@/lib/view/identity-name';
import { WhomName } from './whom';

/** A subject as a link to its page. `alone`: not in a sentence, so that it has the height of a target on a phone. */
export function SubjectLink({ id, alone = false }: { id: string; alone?: boolean }) {
  const subject = subjectOfId(id);
  if (subject === null) return <code className="break-all">{id}</code>;
  return (
    <span className="inline-flex min-w-0 max-w-full items-center gap-1.5 align-bottom">
      <Link
        href={subjectPath(subject)}
        prefetch={false}
        className={clsx(
          'inline-flex min-w-0 max-w-full align-bottom underline decoration-line-strong underline-offset-3 hover:decoration-brass',
          alone && 'max-md:min-h-[44px] max-md:items-center',
        )}
      >
        {subject.kind === 'session' ? (
          <code title={subject.id}>{shortId(subject.id)}</code>
        ) : (
          <Name name={subject.kind === 'lock' ? subject.key : subject.prefix} />
        )}
      </Link>
      <SourceBadge source={subject.source} />
    </span>
  );
}

/** The pattern for a done action, or for any other. */
function patternOf({ head, state }: Deed, { audit }: AllMessages): string {
  const { how } = head.detail;
  if (head.action !== null) {
    const words = state === 'done' || state === 'partly' ? audit.did : audit.asked;
    return how === 'hand-over' || how === 'slot-only' ? words[how] : words[head.action];
  }
  if (head.kind === 'grant-created' && head.detail.grant === 'token') return audit.noted['grant-signed'];
  return Object.hasOwn(audit.noted, head.kind)
    ? audit.noted[head.kind as keyof typeof audit.noted]
    : audit.kinds[head.kind];
}

export function DeedWords({ deed }: { deed: Deed }) {
  const m = useAllMessages();
  const { head } = deed;
  return (
    <>
      <span className="font-medium text-ink">{nameOf(head.who, m)}</span>{' '}
      {patternOf(deed, m)
        .split(/(\{\w+\})/)
        .map((part, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a pattern never change places.
          <Fragment key={i}>
            <Part part={part} deed={deed} />
          </Fragment>
        ))}
    </>
  );
}

function Part({ part, deed: { head } }: { part: string; deed: Deed }) {
  const { audit } = useAllMessages();
  const { limit, permits, session, prefix, subjectsInAll } = head.detail;
  switch (part) {
    case '{subject}': {
      const [first] = head.subjects;
      const others = (typeof subjectsInAll === 'number' ? subjectsInAll : head.subjects.length) - 1;
      if (first === undefined)
        return typeof prefix === 'string' && prefix !== '' ? <Name name={prefix} /> : audit.everything;
      return (
        <>
          <SubjectLink id={first} />
          {others === 0 ? null : <span className="text-ink-dim"> {audit.more(others)}</span>}
        </>
      );
    }
    case '{session}':
      if (typeof session !== 'string') return audit.aSession;
      return (
        <WhomName
          whom={whomIn(head.detail).find((one) => one.session === session) ?? { session, label: null }}
        />
      );
    case '{limit}':
      return <strong>{typeof limit === 'number' ? limit : '?'}</strong>;
    case '{permits}':
      return <strong>{typeof permits === 'number' ? permits : '?'}</strong>;
    default:
      return part;
  }
}
