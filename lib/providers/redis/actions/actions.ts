/** The actions on Redis. Each reads afresh, and writes by one script under the condition that its plan named. */
import { z } from 'zod';
import type { Action } from '@/lib/domain/actions/action';
import { type Expect, type Saw, sawNothing } from '@/lib/domain/actions/expect';
import type { Outcome } from '@/lib/domain/actions/plan';
import type { RightTo } from '@/lib/domain/identity';
import { type Problem, ProblemError } from '@/lib/domain/problem';
import type { Planned } from '@/lib/domain/seam/provider';
import { type ActContext, type Call, type Deed, requireInView } from './act';
import { limitSeen, resize, returnPermits, returnSeen } from './limit';
import { evict, permitSeen, prune, sweepSeen } from './permits';
import { modeOf } from './reading';
import { notOfPlan, problemIn, refusal } from './refused';
import { holdSeen, release } from './release';
import { answerOf } from './script';
import { removeWaiter, waiterSeen, wake, wakeSeen } from './waiter';

interface Bound {
  plan(context: ActContext): Promise<Planned>;
  /** The state in `expect`; `null`: no plan of this action gives it. */
  saw(expect: Expect): Saw | null;
  apply(expect: Expect, context: ActContext, signal: AbortSignal): Promise<Outcome>;
  asks(context: ActContext): Call;
}

const bind = <A extends Action, S extends Expect>(deed: Deed<A, S>, action: A): Bound => ({
  plan: async (context) => {
    const { plan, seen } = await deed.plan(action, context);
    return { plan, expect: seen };
  },
  saw: (expect) => {
    const seen = deed.seen(action, expect);
    return seen === null ? null : deed.saw(seen);
  },
  apply: async (expect, context, signal) => {
    const seen = deed.seen(action, expect);
    if (seen === null) throw notOfPlan();
    return deed.apply(action, seen, context, signal);
  },
  asks: (context) => deed.asks(action, context),
});

const notOffered = () => refusal('invalid', { code: 'not-offered', facts: {} });

/** `null`: Redis does not offer this action, or not in this way. */
function boundTo(action: Action): Bound | null {
  switch (action.type) {
    case 'lock.release':
      return action.how === 'hand-over' ? bind(release, action) : null;
    case 'lock.remove-waiter':
      return bind(removeWaiter, action);
    case 'lock.wake':
      return bind(wake, action);
    case 'semaphore.evict':
      return action.how === 'slot-only' ? bind(evict, action) : null;
    case 'semaphore.prune':
      return bind(prune, action);
    case 'semaphore.resize':
      return bind(resize, action);
    case 'semaphore.return-permits':
      return bind(returnPermits, action);
    default:
      return null;
  }
}

/** Returns a refusal that was thrown. Throws a bug again. */
async function settled<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | Problem> {
  try {
    return await work(signal);
  } catch (error) {
    return problemIn(error, signal);
  }
}

export const planOn = (
  context: ActContext,
  action: Action,
  signal: AbortSignal,
): Promise<Planned | Problem> =>
  settled(signal, async () => {
    const bound = boundTo(action);
    if (bound === null) throw notOffered();
    return bound.plan(context);
  });

export function refusesOf(action: Action, expect: Expect): Problem | null {
  const bound = boundTo(action);
  if (bound === null) return notOffered().problem;
  return bound.saw(expect) === null ? notOfPlan().problem : null;
}

export const sawIn = (action: Action, expect: Expect): Saw => boundTo(action)?.saw(expect) ?? sawNothing;

export const applyOn = (
  context: ActContext,
  action: Action,
  expect: Expect,
  signal: AbortSignal,
): Promise<Outcome | Problem> =>
  settled(signal, async () => {
    const bound = boundTo(action);
    if (bound === null) throw notOffered();
    // Plans never name a key outside the view, but a request may.
    for (const { key } of bound.saw(expect)?.entries ?? []) requireInView(context, key);
    return bound.apply(expect, context, signal);
  });

/** Asks Redis if its access rules permit every command of an action on these keys. Writes nothing. */
export async function rightTo(context: ActContext, action: Action): Promise<RightTo> {
  const { server } = context;
  const call = boundTo(action)?.asks(context);
  if (call === undefined) return { right: 'no', needs: [] };
  const { script, keys, args } = call;
  try {
    const answer = answerOf(
      await server.run(script, keys, [modeOf(server), 'ask', ...args], { writes: false }),
    );
    return answer.is === 'forbidden' ? denied(answer.command) : { right: 'yes', needs: [] };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { code, why } = error.problem;
    if (code !== 'forbidden') return { right: 'unknown', needs: [] };
    return denied(why?.code === 'redis-not-permitted' ? why.facts.command : 'EVAL');
  }
}

const denied = (command: string): RightTo => ({
  right: 'no',
  needs: [{ code: 'redis-command', facts: { command } }],
});

/** The state that a plan saw, for every action. */
export const seenSchema = z.union([
  holdSeen,
  waiterSeen,
  wakeSeen,
  permitSeen,
  sweepSeen,
  limitSeen,
  returnSeen,
]);
