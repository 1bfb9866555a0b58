/**
 * A world cut down to what a grant shows. What is outside of the scope is not in the result in any form: no row, no
 * name, no count. Findings are not cut but looked for anew in the cut world, as one that was made from the whole could
 * rest on what is outside.
 *
 * Where stored values are not granted they are needed to judge all the same (who queues, who is one process), so they
 * go in two steps: `judged` is what the findings are made from, `shown` is what leaves the server. Rows that did not
 * change keep their identity, so that the difference to the world before stays cheap.
 *
 * Where sessions are not granted, a row is as somebody sees it who may read keys alone: who holds and waits is an id.
 *
 * A row keeps the shape that it has for programs, but what no reader is shown is empty in it: sessions beyond who holds and
 * waits, keys of entries, flags, how often something changed hands, and every index of Consul, by which writes elsewhere
 * could be counted.
 */
import type { Finding, Ground } from '@/lib/domain/findings/finding';
import {
  type Evidence,
  type Lock,
  type Party,
  type Semaphore,
  type Session,
  shortId,
  type Waiter,
  type World,
} from '@/lib/domain/model';
import { covers, type Scope } from '@/lib/domain/sharing/grant';
import type { Source } from '@/lib/domain/source';
import { fact } from '@/lib/domain/verdict';

/** The name that does not come from a stored value. */
const plainLabel = ({ sessionId, session }: Party) => session?.name || shortId(sessionId);

/** That a renewal was seen stays; at which address of an agent is nothing for readers (as in `cutSource`). */
const placeless = (evidence: readonly Evidence[]): readonly Evidence[] =>
  evidence.map((fact) => (fact.code === 'renewal-observed' ? { ...fact, detail: null } : fact));
const placelessParty = <P extends Party>(party: P): P => ({ ...party, evidence: placeless(party.evidence) });
/** What was read from a value goes where values are not shown: the owner it names, and when it says it was made. */
const plainParty = <P extends Party>(party: P): P => ({
  ...placelessParty(party),
  label: plainLabel(party),
  since: party.since?.basis === 'value' ? null : party.since,
});
/**
 * Without what was read of its session. A ghost is told by entries alone. With values shown the label could still be the
 * session's name, so it is the id.
 */
const blindParty = <P extends Party>(party: P): P => ({
  ...party,
  session: null,
  label: shortId(party.sessionId),
  verdict: party.verdict === 'ghost' ? 'ghost' : 'unknown',
  evidence: [
    ...party.evidence.filter(({ source }) => source === 'kv'),
    ...(party.verdict === 'ghost' ? [] : [fact('session-not-visible')]),
  ],
  expiry: { kind: 'unknown', withinMs: null, latestMs: null, lastRenewalMs: null },
});
/**
 * That nobody can take it now is true for everybody, and is said. Until when is a setting of the session that held it. To call it
 * free would send somebody to wait for what Consul refuses.
 */
const blindLock = (lock: Lock): Lock => ({
  ...lock,
  delay: null,
  delayedUntilMs: null,
  holder: lock.holder === null ? null : blindParty(lock.holder),
});
const blindSemaphore = (semaphore: Semaphore): Semaphore => ({
  ...semaphore,
  holders: semaphore.holders.map(blindParty),
  waiters: semaphore.waiters.map(blindParty),
});
const asItIs = <T>(row: T): T => row;

/** Told no index, where there is one. */
const indexless = (index: string | null) => (index === null ? null : '');
const noIndexes = { createIndex: '', modifyIndex: '', lockIndex: '' } as const;
const placelessWaiter = (waiter: Waiter): Waiter => ({
  ...placelessParty(waiter),
  entryKey: '',
  arrivedIndex: '',
});
const bareParty = <P extends Party>(party: P): P => ({ ...party, value: null });

const placelessLock = (lock: Lock): Lock => ({
  ...lock,
  ...noIndexes,
  holder: lock.holder === null ? null : placelessParty(lock.holder),
});
const plainLock = (lock: Lock): Lock => ({
  ...placelessLock(lock),
  details: [],
  leftBehind: null,
  holder: lock.holder === null ? null : plainParty(lock.holder),
});
/** What is needed to judge, and shown to nobody. */
const leanLock = (lock: Lock): Lock => ({ ...lock, flags: '', turnover: null });
const bareLock = (lock: Lock): Lock => ({
  ...leanLock(lock),
  value: null,
  holder: lock.holder === null ? null : bareParty(lock.holder),
});

const placelessSemaphore = (semaphore: Semaphore): Semaphore => ({
  ...semaphore,
  createIndex: indexless(semaphore.createIndex),
  modifyIndex: indexless(semaphore.modifyIndex),
  holders: semaphore.holders.map(placelessParty),
  waiters: semaphore.waiters.map(placelessWaiter),
});
const plainSemaphore = (semaphore: Semaphore): Semaphore => ({
  ...placelessSemaphore(semaphore),
  holders: semaphore.holders.map(plainParty),
  waiters: semaphore.waiters.map(placelessWaiter).map(plainParty),
  // The detail quotes the entry.
  problems: semaphore.problems.map(({ code }) => ({ code, detail: null })),
});
const leanSemaphore = (semaphore: Semaphore): Semaphore => ({
  ...semaphore,
  flags: semaphore.flags === null ? null : '',
  leftovers: [],
  turnover: null,
});
const bareSemaphore = (semaphore: Semaphore): Semaphore => ({
  ...leanSemaphore(semaphore),
  value: null,
  holders: semaphore.holders.map(bareParty),
  waiters: semaphore.waiters.map(bareParty),
});

/** `change`, made once for each row for as long as the row is there. */
function once<A extends object, B>(change: (row: A) => B): (row: A) => B {
  const made = new WeakMap<A, { readonly of: B }>();
  return (row) => {
    const known = made.get(row) ?? { of: change(row) };
    made.set(row, known);
    return known.of;
  };
}

export interface Cut {
  world(world: World): { readonly judged: World; readonly shown: World };
  /** Findings of `judged` as they may be shown there. */
  findings(judged: World, findings: readonly Finding[]): readonly Finding[];
}

/** Cuts worlds to one scope. */
export function createCut(scope: Scope): Cut {
  const { values } = scope;
  const [seenLock, seenSemaphore] = scope.sessions ? [asItIs, asItIs] : [blindLock, blindSemaphore];
  const [toldLock, toldSemaphore] = values
    ? [placelessLock, placelessSemaphore]
    : [plainLock, plainSemaphore];
  const plain = {
    lock: once((lock: Lock) => toldLock(seenLock(lock))),
    semaphore: once((semaphore: Semaphore) => toldSemaphore(seenSemaphore(semaphore))),
  };
  /** A key that is gone stays in view for its lock-delay alone. */
  const isTold = (lock: Lock) => inScope({ kind: 'lock', key: lock.key }) && (scope.sessions || lock.exists);
  const bare = {
    lock: once(values ? leanLock : bareLock),
    semaphore: once(values ? leanSemaphore : bareSemaphore),
  };
  const inScope = (subject: Session['holds'][number]) => covers(scope, subject);
  /** With what it holds and wants in the scope; `null` where that is nothing. */
  const partOf = once((session: Session): Session | null => {
    const [holds, wants] = [session.holds.filter(inScope), session.wants.filter(inScope)];
    return holds.length + wants.length === 0 ? null : { ...session, createIndex: '', holds, wants };
  });
  return {
    world: (world) => {
      const judged: World = {
        scope: 'part',
        locks: world.locks.filter(isTold).map(plain.lock),
        semaphores: world.semaphores
          .filter(({ prefix }) => inScope({ kind: 'semaphore', prefix }))
          .map(plain.semaphore),
        sessions: scope.sessions ? world.sessions.flatMap((session) => partOf(session) ?? []) : [],
      };
      return {
        judged,
        shown: {
          ...judged,
          locks: judged.locks.map(bare.lock),
          semaphores: judged.semaphores.map(bare.semaphore),
          sessions: [],
        },
      };
    },
    findings: ({ sessions }, findings) => {
      const names = new Map(sessions.map(({ id, name }) => [id, name || shortId(id)]));
      return findings.map((finding) => cutFinding(finding, values ? null : names));
    },
  };
}

/**
 * No actions: whoever reads cannot mend. Nor the evidence, which stands with whoever it is about. Several sessions may be
 * joined by the owner that their values name.
 */
function cutFinding(finding: Finding, names: ReadonlyMap<string, string> | null): Finding {
  const grounds = finding.grounds.map(
    (ground): Ground => ({ ...ground, label: labelOf(ground, names), evidence: [], wants: [], mend: null }),
  );
  const cut = { ...finding, grounds, mend: null };
  if (names === null || cut.code !== 'deadlock') return cut;
  const [first, second] = grounds;
  return { ...cut, facts: { ...cut.facts, first: first?.label ?? '', second: second?.label ?? '' } };
}

function labelOf({ subject, label }: Ground, names: ReadonlyMap<string, string> | null): string | null {
  if (names === null || subject.kind !== 'session' || label === null) return label;
  return names.get(subject.id) ?? shortId(subject.id);
}

/** How fresh it is, without addresses, and without the calls that failed, which name keys. */
export function cutSource(source: Source): Source {
  const { problem } = source;
  const why = problem?.why ?? null;
  const facts = why?.code === 'not-reached' ? { errno: why.facts.errno } : {};
  return {
    ...source,
    origin: '',
    renewals: [],
    problem:
      problem === null
        ? null
        : { code: problem.code, ...(why === null ? {} : { why: { code: why.code, facts } as typeof why }) },
  };
}
