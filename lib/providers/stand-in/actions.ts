/** The actions on the file. Each reads again, and writes under the condition that its plan named. */
import { z } from 'zod';
import { type Action, descriptorOf, problemOfRule } from '@/lib/domain/actions/action';
import type { FoundSubject } from '@/lib/domain/actions/descriptor';
import { type Expect, type Saw, sawNothing } from '@/lib/domain/actions/expect';
import type { Outcome, Plan } from '@/lib/domain/actions/plan';
import { setLimit } from '@/lib/domain/actions/semaphore';
import type { Lock, Semaphore, Subject } from '@/lib/domain/model';
import { isProblem, type Problem } from '@/lib/domain/problem';
import type { Difference } from '@/lib/domain/refusal';
import type { Planned } from '@/lib/domain/seam/provider';
import { type LockRef, lockSubject, type SemaphoreRef, semaphoreSubject } from '@/lib/domain/subject';
import { type Contents, changeContents, type FileHolder, holdOf, readContents } from './file';
import { holds, lockOf, semaphoreOf } from './world';

/** The state that the plan saw: the one hold that it removes, or the limit that it replaces. */
const expected = z.object({
  entries: z
    .array(z.object({ key: z.string(), session: z.nullable(z.string()), seen: z.string() }))
    .length(1),
});

const expectOf = (key: string, session: string | null, seen: string): Expect => ({
  entries: [{ key, session, seen }],
});

/** The holders that the plan removes; none for a new limit. */
export function sawIn(expect: Expect): Saw {
  const { data } = expected.safeParse(expect);
  const entries = data?.entries.map((one) => ({ ...one, index: null })) ?? [];
  return { ...sawNothing, entries, sessions: entries.flatMap(({ session }) => session ?? []) };
}

/** One action on one entry: its plan, the state that it saw, and the contents after it. */
interface Step {
  readonly plan: Pick<Plan, 'summary' | 'writes' | 'warnings' | 'undo'>;
  readonly expect: Expect;
  /** The differences from the state that the plan saw; empty: the action may write. */
  differs(session: string | null, seen: string): readonly Difference[];
  readonly next: Contents;
  readonly subject: Subject;
}

const problem = (code: Problem['code'], why: Problem['why']): Problem => ({ code, why: why ?? null });
const notOffered = problem('invalid', { code: 'not-offered', facts: {} });

const differencesOf = (
  key: string,
  now: FileHolder | null,
  session: string | null,
  seen: string,
): readonly Difference[] => {
  if (now !== null && holdOf(now) === seen) return [];
  if (now !== null && now.id === session)
    return [{ code: 'hold-retaken', facts: { key, sessionId: now.id } }];
  return [{ code: 'holder-changed', facts: { key, before: session, now: now?.id ?? null } }];
};

const nameOf = ({ name, id }: { readonly name: string; readonly id: string }) => name || id;

/** Only own properties, because every object has names such as `toString`. */
const entryOf = <T>(entries: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(entries, name) ? entries[name] : undefined;

function foundIn({ locks, semaphores }: Contents, action: Action, nowMs: number): FoundSubject {
  const lock = 'key' in action ? entryOf(locks, action.key) : undefined;
  const semaphore = 'prefix' in action ? entryOf(semaphores, action.prefix) : undefined;
  return {
    lock: 'key' in action && lock !== undefined ? lockOf(action, lock, nowMs) : null,
    semaphore: 'prefix' in action && semaphore !== undefined ? semaphoreOf(action, semaphore, nowMs) : null,
    session: null,
  };
}

function releaseOf(contents: Contents, { source, key }: LockRef, nowMs: number): Step | null {
  const entry = entryOf(contents.locks, key);
  if (entry === undefined) return null;
  const holder = entry.holder !== null && holds(entry.holder, nowMs) ? entry.holder : null;
  const [first] = entry.queue;
  const sessionId = holder?.id ?? '';
  return {
    subject: lockSubject({ source, key }),
    plan: {
      summary: { code: 'free-lock', facts: { key, holder: holder === null ? '' : nameOf(holder) } },
      writes: [
        {
          operation: 'update',
          target: key,
          condition: { code: 'same-hold', facts: { sessionId } },
          before: { code: 'held-by', facts: { sessionId } },
          after: { code: 'key-free', facts: { key } },
        },
      ],
      warnings: [
        { code: 'holder-notices', facts: { layout: 'stand-in-lock', heirs: null } },
        { code: 'next-in-queue', facts: { first: first === undefined ? null : nameOf(first) } },
      ],
      undo: { code: 'none-hand-over', facts: {}, action: null },
    },
    expect: expectOf(key, holder?.id ?? null, holder === null ? '' : holdOf(holder)),
    differs: (session, seen) => differencesOf(key, holder, session, seen),
    next: { ...contents, locks: { ...contents.locks, [key]: { ...entry, holder: null } } },
  };
}

function evictionOf(
  contents: Contents,
  { source, prefix, sessionId }: SemaphoreRef & { readonly sessionId: string },
  nowMs: number,
): Step | null {
  const entry = entryOf(contents.semaphores, prefix);
  if (entry === undefined) return null;
  const holder = entry.holders.find((one) => one.id === sessionId && holds(one, nowMs)) ?? null;
  const [first] = entry.queue;
  const holders = entry.holders.filter((one) => one !== holder);
  return {
    subject: semaphoreSubject({ source, prefix }),
    plan: {
      summary: { code: 'free-slot', facts: { prefix, holder: holder === null ? '' : nameOf(holder) } },
      writes: [
        {
          operation: 'update',
          target: prefix,
          condition: { code: 'same-hold', facts: { sessionId } },
          before: { code: 'holds-slot', facts: { prefix } },
          after: { code: 'gone', facts: {} },
        },
      ],
      warnings: [
        { code: 'holder-notices', facts: { layout: 'stand-in-semaphore', heirs: null } },
        { code: 'next-in-queue', facts: { first: first === undefined ? null : nameOf(first) } },
      ],
      undo: { code: 'none-slot', facts: {}, action: null },
    },
    expect: expectOf(prefix, sessionId, holder === null ? '' : holdOf(holder)),
    differs: (session, seen) => differencesOf(prefix, holder, session, seen),
    next: { ...contents, semaphores: { ...contents.semaphores, [prefix]: { ...entry, holders } } },
  };
}

function resizingOf(
  contents: Contents,
  { source, prefix, limit }: SemaphoreRef & { readonly limit: number },
): Step | null {
  const entry = entryOf(contents.semaphores, prefix);
  if (entry === undefined) return null;
  const before = String(entry.limit);
  return {
    subject: semaphoreSubject({ source, prefix }),
    plan: {
      summary: { code: 'set-limit', facts: { prefix, before: entry.limit, limit } },
      writes: [
        {
          operation: 'update',
          target: prefix,
          condition: { code: 'limit-is', facts: { limit: entry.limit } },
          before: { code: 'stored', facts: { text: before } },
          after: { code: 'stored', facts: { text: String(limit) } },
        },
      ],
      warnings: [],
      undo: {
        code: 'set-limit-back',
        facts: { limit: entry.limit },
        action: setLimit({ source, prefix }, entry.limit),
      },
    },
    expect: expectOf(prefix, null, before),
    differs: (_session, seen) =>
      seen === before ? [] : [{ code: 'limit-changed', facts: { before: seen, now: before } }],
    next: { ...contents, semaphores: { ...contents.semaphores, [prefix]: { ...entry, limit } } },
  };
}

/** The file has no sessions to end and no ghosts to prune, and its entries belong to their programs. */
const isOffered = (action: Action): boolean =>
  (action.type === 'lock.release' && action.how === 'hand-over') ||
  (action.type === 'semaphore.evict' && action.how === 'slot-only') ||
  action.type === 'semaphore.resize';

function stepOf(contents: Contents, action: Action, nowMs: number): Step | Problem {
  const step =
    action.type === 'lock.release'
      ? releaseOf(contents, action, nowMs)
      : action.type === 'semaphore.evict'
        ? evictionOf(contents, action, nowMs)
        : action.type === 'semaphore.resize'
          ? resizingOf(contents, action)
          : null;
  if (step !== null) return step;
  return 'key' in action
    ? problem('not-found', { code: 'no-lock', facts: { key: action.key } })
    : problem('not-found', {
        code: 'no-semaphore',
        facts: { prefix: 'prefix' in action ? action.prefix : '' },
      });
}

/** The problem by the permission table of every backend, for the contents just read. */
function refusedBy(action: Action, found: FoundSubject): Problem | null {
  const permission = descriptorOf(action).can(action, found);
  return permission.allowed ? null : problem(problemOfRule[permission.reason.code], permission.reason);
}

export async function planOn(
  { path, now }: { readonly path: string; readonly now: () => number },
  action: Action,
): Promise<Planned | Problem> {
  if (!isOffered(action)) return notOffered;
  const contents = await readContents(path);
  if (isProblem(contents)) return contents;
  const nowMs = now();
  const step = stepOf(contents, action, nowMs);
  if (isProblem(step)) return step;
  const refused = refusedBy(action, foundIn(contents, action, nowMs));
  if (refused !== null) return refused;
  const { plan, expect } = step;
  return { plan: { ...plan, touches: [], manual: [], friction: 'reason', confirmName: null }, expect };
}

export async function applyOn(
  { path, now }: { readonly path: string; readonly now: () => number },
  action: Action,
  expect: Expect,
  signal: AbortSignal,
): Promise<Outcome | Problem> {
  if (!isOffered(action)) return notOffered;
  const known = expected.safeParse(expect);
  const seen = known.success ? known.data.entries[0] : undefined;
  const name = 'key' in action ? action.key : 'prefix' in action ? action.prefix : '';
  if (seen === undefined || seen.key !== name)
    return problem('invalid', { code: 'not-of-plan', facts: { where: 'expect.entries' } });
  let freed: Step | null = null;
  const written = await changeContents(
    path,
    (contents) => {
      const step = stepOf(contents, action, now());
      if (isProblem(step)) return step;
      const difference = step.differs(seen.session, seen.seen);
      if (difference.length > 0)
        return { code: 'stale', why: { code: 'changed-since', facts: {} }, difference };
      const refused = refusedBy(action, foundIn(contents, action, now()));
      if (refused !== null) return refused;
      freed = step;
      return step.next;
    },
    signal,
  );
  if (isProblem(written)) return written;
  const after: FoundSubject = foundIn(written, action, now());
  return outcomeOf(freed, action, after.lock ?? after.semaphore);
}

function outcomeOf(step: Step | null, action: Action, after: Lock | Semaphore | null): Outcome {
  const frees = action.type !== 'semaphore.resize' && step !== null;
  return { done: true, freed: frees ? [step.subject] : [], after, warnings: [], parts: [] };
}
