/** The rows that the page of one lock, semaphore or session needs, from a world of any size. */
import { concerns } from '@/lib/domain/findings/finding';
import { heirsAmong } from '@/lib/domain/members';
import { type Lock, type Party, type Semaphore, type Subject, subjectId } from '@/lib/domain/model';
import { rowName, type SourceId } from '@/lib/domain/source';
import { isOf, lockSubject, renewalName, semaphoreSubject, sessionName } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { neighboursOf } from './neighbours';

/**
 * The most rows for a session's holdings and wants. The page needs one, to show how it ends; it only names the
 * others.
 */
const ofSessionMax = 60;

/**
 * The subject and the others on its page: the sessions of its holders, its possible successors, a session's
 * holdings and wants. For an absent subject, similar names.
 */
export function rowsAbout(
  snapshot: Snapshot,
  subject: Subject,
): Pick<Snapshot, 'locks' | 'semaphores' | 'sessions' | 'renewals' | 'findings'> {
  const named = namedBy(snapshot, subject);
  const ids = new Set(named.map(subjectId));
  const locks = snapshot.locks.filter((one) => ids.has(subjectId(lockSubject(one))));
  const semaphores = snapshot.semaphores.filter((one) => ids.has(subjectId(semaphoreSubject(one))));
  const sessions = new Set([...sessionsIn(locks, semaphores), ...named.flatMap(idIn)]);
  return {
    locks,
    semaphores,
    sessions: snapshot.sessions.filter((one) => sessions.has(sessionName(one))),
    renewals: (snapshot.renewals ?? []).filter((one) => sessions.has(renewalName(one))),
    findings: snapshot.findings.filter((finding) => concerns(finding, subject)),
  };
}

const idIn = (subject: Subject) => (subject.kind === 'session' ? [sessionName(subject)] : []);

function namedBy(snapshot: Snapshot, subject: Subject): readonly Subject[] {
  switch (subject.kind) {
    case 'lock': {
      const lock = snapshot.locks.find(isOf(subject));
      if (lock === undefined) return neighboursOf(snapshot, subject.kind, subject.key);
      const heirs = heirsAmong(lock, snapshot) ?? [];
      return [subject, ...heirs.map(lockSubject)];
    }
    case 'semaphore':
      return snapshot.semaphores.some(isOf(subject))
        ? [subject]
        : neighboursOf(snapshot, subject.kind, subject.prefix);
    case 'session': {
      const session = snapshot.sessions.find(isOf(subject));
      return session === undefined
        ? neighboursOf(snapshot, subject.kind, subject.id)
        : [subject, ...[...session.holds, ...session.wants].slice(0, ofSessionMax)];
    }
  }
}

function sessionsIn(locks: readonly Lock[], semaphores: readonly Semaphore[]): string[] {
  const named = (source: SourceId, parties: readonly Party[]) =>
    parties.map(({ sessionId }) => rowName(source, sessionId));
  return [
    ...locks.flatMap(({ source, holder }) => (holder === null ? [] : named(source, [holder]))),
    ...semaphores.flatMap(({ source, holders, waiters }) => named(source, [...holders, ...waiters])),
  ];
}
