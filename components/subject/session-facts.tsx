'use client';
import { useState } from 'react';
import { Link } from '@/components/dom/link';
import { useAllMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';
import { Fact } from '@/components/ui/section';
import { subjectPath } from '@/lib/client/paths';
import { type Session, type Subject, subjectId, subjectName } from '@/lib/domain/model';
import { formatDuration } from '@/lib/i18n/format/format';

/** `of` decides whether the lock-delay protects. `locks`: the session locks a key, so it has not ended. */
export function SessionFacts({
  session,
  of,
  locks = false,
}: {
  session: Session | null;
  of: Subject;
  locks?: boolean;
}) {
  const m = useAllMessages();
  const { facts, ttl, behaviors } = m.subject;
  if (session === null)
    return <Fact name={facts.session}>{locks ? m.subject.sessionUnread : m.subject.sessionUnseen}</Fact>;
  const others = session.holds.filter((subject) => subjectId(subject) !== subjectId(of));
  return (
    <>
      <Fact name={facts.node}>
        {session.node} <span className="text-ink-dim">{m.sessions.nodeStatus[session.nodeStatus]}</span>
      </Fact>
      <Fact name={facts.ttl}>
        {session.ttlMs === null
          ? ttl.none
          : ttl.value(formatDuration(session.ttlMs, m.units), formatDuration(2 * session.ttlMs, m.units))}
      </Fact>
      <Fact name={facts.behavior}>{behaviors[session.behavior]}</Fact>
      <Fact name={facts.delay}>
        <DelayText session={session} of={of} />
      </Fact>
      <Fact name={facts.checks}>
        <CheckList session={session} />
      </Fact>
      {others.length === 0 ? null : (
        <Fact name={facts.alsoHolds}>
          <SubjectLinks subjects={others} />
        </Fact>
      )}
    </>
  );
}

function DelayText({ session, of }: { session: Session; of: Subject }) {
  const m = useAllMessages();
  const { delay } = m.subject;
  const length = formatDuration(session.lockDelayMs, m.units);
  if (of.kind === 'semaphore') return <>{delay.semaphore(length)}</>;
  if (session.lockDelayMs === 0) return <>{delay.none}</>;
  return <>{of.kind === 'lock' ? delay.lock(length) : delay.session(length)}</>;
}

/** The checks of a session, each with its status in words. */
export function CheckList({ session }: { session: Session }) {
  const m = useAllMessages();
  if (session.checks.length === 0) return <>{m.subject.checksNone}</>;
  return (
    <ul>
      {session.checks.map((check) => (
        <li key={check.name}>
          {check.name}{' '}
          <span className={check.status === 'critical' ? 'font-medium text-danger' : 'text-ink-dim'}>
            {m.sessions.checkStatus[check.status]}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The pressed button is gone, so the keyboard focus continues here. */
const focusLink = (item: HTMLLIElement | null) => item?.querySelector('a')?.focus();

/** Links listed at once: a session may hold thousands of locks. */
const linksMax = 50;

/** Links to locks and semaphores by name. A button shows all beyond the first ones. */
export function SubjectLinks({ subjects }: { subjects: readonly Subject[] }) {
  const texts = useAllMessages().subject;
  const [isWhole, setWhole] = useState(false);
  const rest = isWhole ? 0 : subjects.length - linksMax;
  return (
    <ul className="flex flex-col gap-1.5">
      {(rest > 0 ? subjects.slice(0, linksMax) : subjects).map((subject, i) => (
        <li key={subjectId(subject)} ref={isWhole && i === linksMax ? focusLink : undefined}>
          <Link
            href={subjectPath(subject)}
            className="break-all font-mono text-[13px] underline decoration-line-strong underline-offset-3 hover:text-brass-strong max-md:inline-block max-md:py-[12px]"
          >
            {subjectName(subject)}
          </Link>
        </li>
      ))}
      {rest > 0 ? (
        <li>
          <Button onClick={() => setWhole(true)}>{texts.showRest(rest)}</Button>
        </li>
      ) : null}
    </ul>
  );
}
