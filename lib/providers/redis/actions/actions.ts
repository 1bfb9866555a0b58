/** What an operator may do to Redis. Each action reads afresh, and writes by one script under the condition that its plan named. */
import type { Action } from '@/lib/domain/actions/action';
import { type Expect, type Saw, sawNothing } from '@/lib/domain/actions/expect';
import type { Outcome } from '@/lib/domain/actions/plan';
import type { RightTo } from '@/lib/domain/identity';
import { type Problem, ProblemError } from '@/lib/domain/problem';
import type { Planned } from '@/lib/domain/seam/provider';
import type { ActContext, Call, Deed } from './act';
import { resize, returnPermits } from './limit';
import { evict, prune } from './permits';
import { modeOf } from './reading';
import { refusal } from './refused';
import { release } from './release';
import { answerOf } from './script';
import { removeWaiter, wake } from './waiter';

/** A deed with its action. */
interface Bound {
  plan(context: ActContext): Promise<Planned>;
  /** `null`: no plan of this action gives this. */
  saw(expect: Expect): Saw | null;
  apply(expect: Expect, context: ActContext, signal: AbortSignal): Promise<Outcome>;
  readonly asks: Call;
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
  asks: deed.asks(action),
});

const notOfPlan = () => refusal('invalid', { code: 'not-of-plan', facts: { where: 'expect' } });
const notOffered = () => refusal('invalid', { code: 'not-offered', facts: {} });

/** `null`: Redis offers no such action, or not in this way. */
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

/** A refusal that was thrown is returned; a bug goes on its way. */
async function settled<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | Problem> {
  try {
    return await work(signal);
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    if (signal.aborted && error === signal.reason)
      return { code: 'unavailable', why: { code: 'given-up', facts: {} } };
    throw error;
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
    return bound.apply(expect, context, signal);
  });

/** Whether Redis's access rules permit every command of an action on these keys. Asked of Redis; writes nothing. */
export async function rightTo({ server }: ActContext, action: Action): Promise<RightTo> {
  const bound = boundTo(action);
  if (bound === null) return { right: 'no', needs: [] };
  const { script, keys, args } = bound.asks;
  try {
    const answer = answerOf(
      await server.run(script, keys, [modeOf(server), 'ask', ...args], { writes: false }),
    );
    return { right: answer.is === 'forbidden' ? 'no' : 'yes', needs: [] };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { right: error.problem.code === 'forbidden' ? 'no' : 'unknown', needs: [] };
  }
}
