/** Runs the script of an action, and gives its result. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome, Warning } from '@/lib/domain/actions/plan';
import type { Lock, Semaphore } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import type { Difference } from '@/lib/domain/refusal';
import type { ActContext, Call } from './act';
import { modeOf } from './reading';
import { forbidden, refusal } from './refused';
import { type Answer, answerOf } from './script';

/** Longest time to look for the effect of a script whose answer was lost. */
const lookMaxMs = 5_000;
const lookEveryMs = 200;

export type No = Extract<Answer, { readonly is: 'no' }>;

/** The state after a lost answer. `done`: the aim is reached. `as-seen`: the state is as the plan saw it. */
export type Effect = 'done' | 'as-seen' | 'unclear';

export interface Deeds {
  readonly call: Call;
  /** The meaning of a refused condition. `isDone`: the aim was reached before. */
  readonly differs: (no: No) => { readonly difference: readonly Difference[]; readonly isDone?: boolean };
  readonly effect: () => Promise<Effect>;
  /** False where a failover may undo the write without harm, as any client does the same. Default: true. */
  readonly lasts?: boolean;
}

export interface Performed {
  /** The facts of the script's answer; none when the answer was lost and the effect was seen. */
  readonly facts: readonly string[];
  readonly warnings: readonly Warning[];
}

/** True when the write may have been done. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof ProblemError && error.problem.code === 'unknown-result';

/** Throws unless the script has written. */
export async function perform(
  { server }: ActContext,
  { call, differs, effect, lasts = true }: Deeds,
  signal: AbortSignal,
): Promise<Performed> {
  signal.throwIfAborted();
  const { script, keys, args } = call;
  let answer: Answer;
  try {
    answer = answerOf(await server.run(script, keys, [modeOf(server), '', ...args], { writes: true }));
  } catch (error) {
    if (!isUnknown(error)) throw error;
    await requireEffect(effect, signal, error);
    return { facts: [], warnings: [{ code: 'answer-lost', facts: {} }] };
  }
  if (answer.is === 'done') {
    const isAlone = lasts && (await server.replicated(keys[0] ?? '')) === false;
    return {
      facts: answer.facts,
      warnings: isAlone ? [{ code: 'redis-not-replicated', facts: {} }] : [],
    };
  }
  if (answer.is === 'forbidden') throw forbidden(answer.command);
  if (answer.is === 'may') throw new Error('A script was asked instead of run.');
  const { difference, isDone = false } = differs(answer);
  throw refusal('stale', { code: isDone ? 'done-before' : 'changed-since', facts: {} }, difference);
}

/** Looks for the effect after a lost answer, and never sends the write again. Throws unless the effect shows. */
async function requireEffect(
  effect: () => Promise<Effect>,
  signal: AbortSignal,
  cause: unknown,
): Promise<void> {
  const endMs = performance.now() + lookMaxMs;
  let last: Effect | null = null;
  while (!signal.aborted) {
    last = await effect().catch(() => null);
    if (last === 'done') return;
    if (last === 'unclear' || performance.now() >= endMs) break;
    await pause(lookEveryMs, undefined, { signal }).catch(() => {});
  }
  const isRead = last !== null && !signal.aborted;
  throw new ProblemError(
    {
      code: 'unknown-result',
      why: { code: isRead && last === 'as-seen' ? 'write-not-seen' : 'state-not-readable', facts: {} },
    },
    { cause },
  );
}

/** The outcome, with the subject read back. The action stays done when that read fails. */
export async function outcomeOf(
  after: () => Promise<Lock | Semaphore | null>,
  { freed, warnings }: Pick<Outcome, 'freed' | 'warnings'>,
): Promise<Outcome> {
  try {
    return { done: true, freed, after: await after(), warnings, parts: [] };
  } catch {
    const unread: Warning = { code: 'not-read-back', facts: {} };
    return { done: true, freed, after: null, warnings: [...warnings, unread], parts: [] };
  }
}
