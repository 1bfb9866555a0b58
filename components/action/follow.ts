/**
 * What is seen to happen after an action. Success is an observed state and not the server's word: each step is
 * written down with the time at which the live data first showed it.
 *
 * One subject at a time: `gone` (the old holder is out), then `free` or `delayed` and `delay-over`, then `taken`; or, when nobody
 * comes within `patienceMs`, `nobody`. After a new limit those are followed who waited for a slot: each has come in, or waits
 * no longer (`waits-not`), as Go's clients fail at once then. A destroyed session follows what it held.
 */
import type { Action } from '@/lib/domain/action';
import { type Lock, type Semaphore, type Subject, subjectId, type World } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/snapshot';
import { tenureOf } from '@/lib/domain/tenure';

/** How long to watch for the next holder before saying that nobody came. */
export const patienceMs = 30_000;

/**
 * The same for those who waited when a limit was changed: a client that failed is listed until its session ends, which with
 * the TTL of Go's, 15 s, is up to half a minute later.
 */
export const queuePatienceMs = 45_000;

export type StepCode =
  | 'gone'
  | 'slot-free'
  | 'lock-free'
  | 'taken'
  | 'retaken'
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
  /** A label, a limit, how many slots; `null` where the code says it all. */
  readonly who: string | null;
  readonly node: string | null;
  /** Whom of those who waited when a limit was changed it is about: two may have one name. */
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

function lockFacts(before: Lock, after: Lock | undefined, steps: readonly Step[]): Fact[] {
  const subject = { kind: 'lock', key: before.key } as const;
  if (after === undefined) return [fact('entry-gone', subject)];
  const old = before.holder;
  const now = after.holder;
  // Who was seen to be out and is back has taken it again, also where a plain write has lost the count of it since.
  const left = steps.some((s) => s.code === 'gone' && subjectId(s.subject) === subjectId(subject));
  const isBack = left || tenureOf(before, after) === 'retaken';
  if (old !== null && now?.sessionId === old.sessionId && !isBack) return [];
  const facts: Fact[] = old === null ? [] : [fact('gone', subject, { who: old.label })];
  if (after.state === 'delayed') facts.push(fact('delayed', subject, { untilMs: after.delayedUntilMs }));
  if (after.state === 'free') facts.push(fact('lock-free', subject));
  if (now !== null)
    facts.push(
      fact(now.sessionId === old?.sessionId ? 'retaken' : 'taken', subject, {
        who: now.label,
        node: now.session?.node ?? null,
      }),
    );
  return facts;
}

function semaphoreFacts(before: Semaphore, after: Semaphore | undefined, action: Action): Fact[] {
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
  const gone = before.holders.filter((h) => meant(h) && !now.has(h.sessionId));
  for (const holder of gone) facts.push(fact('gone', subject, { who: holder.label }));
  if (gone.length > 0) {
    const free = Math.min(gone.length, (after.limit ?? 0) - after.holders.length);
    if (free > 0) facts.push(fact('slot-free', subject, { who: String(free) }));
    const come = after.holders.filter((h) => !old.has(h.sessionId)).slice(0, gone.length);
    for (const holder of come)
      facts.push(fact('taken', subject, { who: holder.label, node: holder.session?.node ?? null }));
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
        : fact('taken', subject, { who: came.label, node: came.session?.node ?? null, sessionId }),
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
      ),
    );
  for (const semaphore of pinned.semaphores) {
    const { action } = pinned;
    const after = world.semaphores.find((s) => s.prefix === semaphore.prefix);
    facts.push(
      ...(action.type === 'semaphore.resize'
        ? resizeFacts(semaphore, after, action.limit, steps)
        : semaphoreFacts(semaphore, after, action)),
    );
  }
  const known = new Set(steps.map(stepId));
  const fresh = facts
    .map((f) => afterDelay(f, steps))
    .filter((f) => !known.has(stepId(f)) && !outdated(f, steps));
  return fresh.length === 0 ? steps : [...steps, ...fresh.map((f) => ({ ...f, atMs }))];
}

/** A lock that is seen free after it was seen in its lock-delay tells that the delay is over. */
function afterDelay(f: Fact, steps: readonly Step[]): Fact {
  const delayed = (s: Step) => s.code === 'delayed' && subjectId(s.subject) === subjectId(f.subject);
  return f.code === 'lock-free' && steps.some(delayed) ? { ...f, code: 'delay-over' } : f;
}

/** After a taker was seen, "free" would speak of the taker's own leaving, which is no longer this story. */
function outdated(f: Fact, steps: readonly Step[]): boolean {
  const free =
    f.code === 'slot-free' || f.code === 'lock-free' || f.code === 'delayed' || f.code === 'delay-over';
  const taken = f.code === 'taken' || f.code === 'retaken';
  const takers = steps.filter(
    (s) => (s.code === 'taken' || s.code === 'retaken') && subjectId(s.subject) === subjectId(f.subject),
  ).length;
  if (free) return takers > 0;
  const places = steps.filter(
    (s) => s.code === 'gone' && subjectId(s.subject) === subjectId(f.subject),
  ).length;
  return taken && places > 0 && takers >= places;
}

/** Of those who waited when a limit was changed, how many are still listed. */
export function listedStill(steps: readonly Step[], { action, semaphores }: Pinned): number {
  if (action.type !== 'semaphore.resize' || steps.some(({ code }) => code === 'entry-gone')) return 0;
  const told = new Set(steps.map(({ sessionId }) => sessionId));
  return semaphores.flatMap(({ waiters }) => waiters).filter(({ sessionId }) => !told.has(sessionId)).length;
}

/**
 * Where the story stands: still nothing to see, watching for the next holder, or complete. `since` counts from the
 * moment of sending; a lock-delay is waited out before patience begins. Of a new limit: watching those who waited, or with
 * some of them still listed when patience is over.
 */
export function standing(
  steps: readonly Step[],
  pinned: Pinned,
  { sentAtMs, nowMs }: { readonly sentAtMs: number; readonly nowMs: number },
): 'unseen' | 'watching' | 'nobody' | 'queue' | 'listed' | 'complete' {
  if (steps.length === 0) return 'unseen';
  if (pinned.action.type === 'semaphore.resize') {
    if (listedStill(steps, pinned) === 0) return 'complete';
    return nowMs - sentAtMs >= queuePatienceMs ? 'listed' : 'queue';
  }
  const gone = steps.filter((s) => s.code === 'gone').length;
  const ended = steps.filter(
    (s) => s.code === 'taken' || s.code === 'retaken' || s.code === 'entry-gone',
  ).length;
  if (gone === 0 || ended >= gone) return 'complete';
  const from = Math.max(sentAtMs, ...steps.map((s) => s.untilMs ?? s.atMs));
  return nowMs - from >= patienceMs ? 'nobody' : 'watching';
}

/** The world of a snapshot, for `follow`. */
export function worldOf(snapshot: Snapshot): World {
  return { locks: snapshot.locks, semaphores: snapshot.semaphores, sessions: snapshot.sessions };
}
