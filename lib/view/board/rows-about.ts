/** The rows that the page of one lock, semaphore or session needs, from a world of any size. */
import { concerns } from '@/lib/domain/findings/finding';
import { heirsAmong } from '@/lib/domain/members';
import { type Lock, type Semaphore, type Subject, subjectId } from '@/lib/domain/model';
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
  const locks = snapshot.locks.filter(({ key }) => ids.has(subjectId({ kind: 'lock', key })));
  const semaphores = snapshot.semaphores.filter(({ prefix }) =>
    ids.has(subjectId({ kind: 'semaphore', prefix })),
  );
  const sessions = new Set([...sessionsIn(locks, semaphores), ...named.flatMap(idIn)]);
  return {
    locks,
    semaphores,
    sessions: snapshot.sessions.filter(({ id }) => sessions.has(id)),
    renewals: (snapshot.renewals ?? []).filter(({ id }) => sessions.has(id)),
    findings: snapshot.findings.filter((finding) => concerns(finding, subject)),
  };
}

const idIn = (subject: Subject) => (subject.kind === 'session' ? [subject.id] : []);

function namedBy(snapshot: Snapshot, subject: Subject): readonly Subject[] {
  switch (subject.kind) {
    case 'lock': {
      const lock = snapshot.locks.find(({ key }) => key === subject.key);
      if (lock === undefined) return neighboursOf(snapshot, subject.kind, subject.key);
      const heirs = heirsAmong(lock, snapshot) ?? [];
      return [subject, ...heirs.map(({ key }) => ({ kind: 'lock' as const, key }))];
    }
    case 'semaphore':
      return snapshot.semaphores.some(({ prefix }) => prefix === subject.prefix)
        ? [subject]
        : neighboursOf(snapshot, subject.kind, subject.prefix);
    case 'session': {
      const session = snapshot.sessions.find(({ id }) => id === subject.id);
      return session === undefined
        ? neighboursOf(snapshot, subject.kind, subject.id)
        : [subject, ...[...session.holds, ...session.wants].slice(0, ofSessionMax)];
    }
  }
}

function sessionsIn(locks: readonly Lock[], semaphores: readonly Semaphore[]): string[] {
  const holders = locks.flatMap(({ holder }) => holder ?? []);
  const parties = semaphores.flatMap((one) => [...one.holders, ...one.waiters]);
  return [...holders, ...parties].map(({ sessionId }) => sessionId);
}
