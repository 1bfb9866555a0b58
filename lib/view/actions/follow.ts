/**
 * What is seen to happen after an action. Success is an observed state and not the server's word: each step is
 * written down with the time at which the live data first showed it.
 *
 * One subject at a time: `gone` (the old holder is out), with `entry-gone` where its key went with its session, then `free` or
 * `delayed` and `delay-over`, then `taken`, or `returned` by the old holder with a new session; or, when nobody comes within
 * `patienceMs`, `nobody`. After a new limit those are followed who waited for a slot: each has come in, or waits
 * no longer (`waits-not`), as Go's clients fail at once then. A destroyed session follows what it held.
 */
import type { Action } from '@/lib/domain/actions/action';
import { unlistedHolders, wouldList } from '@/lib/domain/holders';
import {
  type Lock,
  type Party,
  type Semaphore,
  type Subject,
  subjectId,
  type World,
} from '@/lib/domain/model';
import { hasReturned, isNamed } from '@/lib/domain/return';
import { tenureOf } from '@/lib/domain/tenure';
import type { Snapshot } from '@/lib/domain/world/snapshot';

export type StepCode =
  | 'gone'
  | 'slot-free'
  | 'lock-free'
  | 'taken'
  | 'retaken'
  | 'returned'
  | 'delayed'
  | 'delay-over'
  | 'limit'
  | 'waits-not'
  | 'session-gone'
  | 'entry-gone';

export interface Step {
  readonly code: StepCode;
  /** What the step is about: a lock, a semaphore or a session. */
  readonly subject: Subject;
  /** A label, a limit, how many slots; `null` where the code says it all, and of a taker that is not named yet. */
  readonly who: string | null;
  readonly node: string | null;
  /** Who took it, or whom of those who waited when a limit was changed it is about: two may have one name. */
  readonly sessionId: string | null;
  /** For `delayed`: until when. */
  readonly untilMs: number | null;
  readonly atMs: number;
}

/** What the page showed at the moment of sending: the ground from which every change is read. */
export interface Pinned {
  readonly action: Action;
  readonly locks: readonly Lock[];
  readonly semaphores: readonly Semaphore[];
  readonly sessionId: string | null;
  /** Ids of all sessions: who was there already has not come back. */
  readonly sessions: ReadonlySet<string>;
}

/** Everything that an action may change, as it stands before it is sent. */
export function pin(action: Action, world: World): Pinned {
  const lockKeys = new Set<string>();
  const prefixes = new Set<string>();
  let sessionId: string | null = null;
  const add = (subject: Subject) => {
    if (subject.kind === 'lock') lockKeys.add(subject.key);
    if (subject.kind === 'semaphore') prefixes.add(subject.prefix);
  };
  if ('key' in action) lockKeys.add(action.key);
  if ('prefix' in action) prefixes.add(action.prefix);
  if ('prefixes' in action) for (const prefix of action.prefixes) prefixes.add(prefix);
  if ('sessionId' in action) sessionId = action.sessionId;
  if (action.type === 'session.destroy')
    for (const subject of world.sessions.find((s) => s.id === sessionId)?.holds ?? []) add(subject);
  return {
    action,
    locks: world.locks.filter((lock) => lockKeys.has(lock.key)),
    semaphores: world.semaphores.filter((semaphore) => prefixes.has(semaphore.prefix)),
    sessionId,
    sessions: new Set(world.sessions.map(({ id }) => id)),
  };
}

type Fact = Omit<Step, 'atMs'>;

const fact = (code: StepCode, subject: Subject, more: Partial<Fact> = {}): Fact => ({
  code,
  subject,
  who: null,
  node: null,
  sessionId: null,
  untilMs: null,
  ...more,
});

/** Of one that has come to hold it. */
export const takers: ReadonlySet<StepCode> = new Set<StepCode>(['taken', 'retaken', 'returned']);

function takerFact(code: 'taken' | 'retaken' | 'returned', subject: Subject, party: Party): Fact {
  const { label, session, sessionId } = party;
  return fact(code, subject, { who: isNamed(party) ? label : null, node: session?.node ?? null, sessionId });
}

function lockFacts(
  before: Lock,
  after: Lock | undefined,
  steps: readonly Step[],
  { sessions }: Pinned,
): Fact[] {
  const subject = { kind: 'lock', key: before.key } as const;
  const old = before.holder;
  if (after === undefined) {
    const out = old === null ? [] : [fact('gone', subject, { who: old.label })];
    return [...out, fact('entry-gone', subject)];
  }
  const now = after.holder;
  // Who was seen to be out and is back has taken it again, also where a plain write has lost the count of it since.
  const left = steps.some((s) => s.code === 'gone' && subjectId(s.subject) === subjectId(subject));
  const isBack = left || tenureOf(before, after) === 'retaken';
  if (old !== null && now?.sessionId === old.sessionId && !isBack) return [];
  const facts: Fact[] = old === null ? [] : [fact('gone', subject, { who: old.label })];
  if (after.state === 'delayed') facts.push(fact('delayed', subject, { untilMs: after.delayedUntilMs }));
  if (after.state === 'free') facts.push(fact('lock-free', subject));
  if (now === null) return facts;
  const returned = old !== null && hasReturned(old, now, { sessions, beside: [] });
  const code = now.sessionId === old?.sessionId ? 'retaken' : returned ? 'returned' : 'taken';
  return [...facts, takerFact(code, subject, now)];
}

function semaphoreFacts(
  before: Semaphore,
  after: Semaphore | undefined,
  { action, sessions }: Pinned,
): Fact[] {
  const subject = { kind: 'semaphore', prefix: before.prefix } as const;
  if (after === undefined) return [fact('entry-gone', subject)];
  const facts: Fact[] = [];
  const now = new Set(after.holders.map((h) => h.sessionId));
  const old = new Set(before.holders.map((h) => h.sessionId));
  // Others come and go in the meantime; only those whom the action meant are its doing.
  const meant = (h: Semaphore['holders'][number]) =>
    action.type === 'semaphore.prune'
      ? h.verdict === 'ghost'
      : 'sessionId' in action && h.sessionId === action.sessionId;
  const gone = before.holders.filter((h) => meant(h) && !now.has(h.sessionId) && wouldList(after, h));
  for (const holder of gone) facts.push(fact('gone', subject, { who: holder.label }));
  if (gone.length > 0) {
    const free = Math.min(gone.length, (after.limit ?? 0) - after.holders.length - unlistedHolders(after));
    if (free > 0) facts.push(fact('slot-free', subject, { who: String(free) }));
    const come = after.holders
      .filter((h) => !old.has(h.sessionId) && wouldList(before, h))
      .slice(0, gone.length);
    const around = { sessions, beside: [...before.holders, ...before.waiters] };
    for (const holder of come) {
      const returned = gone.some((left) => hasReturned(left, holder, around));
      facts.push(takerFact(returned ? 'returned' : 'taken', subject, holder));
    }
  }
  return facts;
}

/** A new limit, and what became of those who waited for a slot when it was sent. */
function resizeFacts(
  before: Semaphore,
  after: Semaphore | undefined,
  limit: number,
  steps: readonly Step[],
): Fact[] {
  const subject = { kind: 'semaphore', prefix: before.prefix } as const;
  if (after === undefined) return [fact('entry-gone', subject)];
  const facts = after.limit === limit ? [fact('limit', subject, { who: String(limit) })] : [];
  // Who left before it was there left for another reason.
  if (facts.length === 0 && !steps.some(({ code }) => code === 'limit')) return facts;
  const listed = new Set(after.waiters.map(({ sessionId }) => sessionId));
  const told = new Set(steps.map(({ sessionId }) => sessionId));
  for (const { sessionId, label } of before.waiters) {
    if (listed.has(sessionId) || told.has(sessionId)) continue;
    const came = after.holders.find((holder) => holder.sessionId === sessionId);
    facts.push(
      came === undefined
        ? fact('waits-not', subject, { who: label, sessionId })
        : takerFact('taken', subject, came),
    );
  }
  return facts;
}

/** Slots that are free are told once: how many remain of them is no event of its own. */
export const stepId = ({ code, subject, who, sessionId }: Fact) =>
  `${code} ${subjectId(subject)} ${code === 'slot-free' ? '' : (sessionId ?? who ?? '')}`;

/**
 * The steps after one more look at the live data. Steps that were seen stay, with their time: a slot that was
 * taken and left again was taken all the same.
 */
export function follow(steps: readonly Step[], pinned: Pinned, world: World, atMs: number): readonly Step[] {
  const facts: Fact[] = [];
  const { sessionId } = pinned;
  if (
    pinned.action.type === 'session.destroy' &&
    sessionId !== null &&
    !world.sessions.some((s) => s.id === sessionId)
  )
    facts.push(fact('session-gone', { kind: 'session', id: sessionId }));
  for (const lock of pinned.locks)
    facts.push(
      ...lockFacts(
        lock,
        world.locks.find((l) => l.key === lock.key),
        steps,
        pinned,
      ),
    );
  for (const semaphore of pinned.semaphores) {
    const { action } = pinned;
    const after = world.semaphores.find((s) => s.prefix === semaphore.prefix);
    facts.push(
      ...(action.type === 'semaphore.resize'
        ? resizeFacts(semaphore, after, action.limit, steps)
        : semaphoreFacts(semaphore, after, pinned)),
    );
  }
  const told = named(steps, facts);
  const known = new Set(told.map(stepId));
  const fresh = facts
    .map((f) => afterDelay(f, told))
    .filter((f) => !known.has(stepId(f)) && !outdated(f, told));
  return fresh.length === 0 ? told : [...told, ...fresh.map((f) => ({ ...f, atMs }))];
}

/** The steps, with the names of takers that are known by now; the same list while none is. */
function named(steps: readonly Step[], facts: readonly Fact[]): readonly Step[] {
  const nameOf = (step: Step) =>
    step.who === null && takers.has(step.code)
      ? facts.find((f) => f.who !== null && takers.has(f.code) && isSame(f, step))
      : undefined;
  if (steps.every((step) => nameOf(step) === undefined)) return steps;
  return steps.map((step) => ({ ...step, ...nameOf(step) }));
}

const isSame = (a: Fact, b: Fact) =>
  a.sessionId === b.sessionId && subjectId(a.subject) === subjectId(b.subject);

/** A lock that is seen free after it was seen in its lock-delay tells that the delay is over. */
function afterDelay(f: Fact, steps: readonly Step[]): Fact {
  const delayed = (s: Step) => s.code === 'delayed' && subjectId(s.subject) === subjectId(f.subject);
  return f.code === 'lock-free' && steps.some(delayed) ? { ...f, code: 'delay-over' } : f;
}

/** After a taker was seen, "free" would speak of the taker's own leaving, which is no longer this story. */
function outdated(f: Fact, steps: readonly Step[]): boolean {
  const free =
    f.code === 'slot-free' || f.code === 'lock-free' || f.code === 'delayed' || f.code === 'delay-over';
  const about = steps.filter((s) => subjectId(s.subject) === subjectId(f.subject));
  const came = about.filter((s) => takers.has(s.code)).length;
  if (free) return came > 0;
  const places = about.filter((s) => s.code === 'gone').length;
  return takers.has(f.code) && places > 0 && came >= places;
}

/** The world of a snapshot, for `follow`. */
export function worldOf(snapshot: Snapshot): World {
  return { locks: snapshot.locks, semaphores: snapshot.semaphores, sessions: snapshot.sessions };
}
