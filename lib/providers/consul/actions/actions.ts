/**
 * The actions on Consul, one file each. Every action makes consistent reads, compares them with the state that the
 * operator saw, and writes under a condition.
 */
import type { Action, ActionType } from '@/lib/domain/actions/action';
import { type Expect, sawNothing } from '@/lib/domain/actions/expect';
import { type Problem, ProblemError } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/seam/provider';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { Ends } from '@/lib/providers/consul/observed/sessions-ended-here';
import type { RenewalView } from '@/lib/providers/consul/renewals/renewals';
import type { Remembered } from '@/lib/providers/consul/rows/remembered';
import { inTurn, type Need, rightsTo } from '@/lib/providers/consul/sight/rights';
import type { Act, Prepared } from './act';
import type { ActContext, Judge } from './consistent-read';
import { deleteLock, deleteSemaphore } from './delete-idle';
import { destroySession } from './destroy-session';
import { evictHolder } from './evict-holder';
import { requirePlausible, sawOf, seenIn, seenSchema } from './expectation';
import { askingOf } from './needs';
import { pruneGhosts } from './prune-ghosts';
import { releaseLock } from './release-lock';
import { resizeLimit } from './resize-limit';
import { problemOf } from './write';

/** An action without use for Consul's clients is absent. */
const acts: { readonly [T in ActionType]?: Act<T> } = {
  'lock.release': releaseLock,
  'semaphore.evict': evictHolder,
  'semaphore.prune': pruneGhosts,
  'semaphore.resize': resizeLimit,
  'session.destroy': destroySession,
  'lock.delete': deleteLock,
  'semaphore.delete': deleteSemaphore,
};

/** No right allows an action that is not offered. */
const notOffered: Need = { asks: [], named: [], known: 'no' };

function actOf(action: Action): Act<ActionType> {
  const act = acts[action.type];
  if (act === undefined) throw new ProblemError({ code: 'invalid', why: { code: 'not-offered', facts: {} } });
  // The table is indexed by the action's own type, which TypeScript cannot follow through the lookup.
  return act as Act<ActionType>;
}

export interface Actor extends Required<Pick<Provider, 'apply' | 'saw' | 'rights'>> {
  /** A dry run. Writes nothing, but may send a transaction that cannot succeed (`session-end.ts`). */
  plan(action: Action, signal: AbortSignal): Promise<Prepared | Problem>;
  /** The reason to refuse the action without a question to Consul; `null`: none. */
  refuses(action: Action, expect: Expect): Problem | null;
}

/**
 * An actor with the client's token. `roots`: the string prefixes in view; keys outside are refused. `now`: epoch
 * milliseconds, which limit the search for the effect of a write.
 */
export function createActor({
  client,
  roots = [''],
  now,
  renewals = () => null,
  remembered = () => null,
  ends,
  judge = () => null,
}: {
  client: ConsulClient;
  roots?: readonly string[];
  now: () => number;
  /** The renewals that the watch has seen, so that a plan calls the same holders overdue as the screen. */
  renewals?: () => RenewalView | null;
  /** The watch's memory, so that a plan sees the same contenders and instants as the screen. */
  remembered?: () => Remembered | null;
  /** The sessions that this process has ended; none by default. */
  ends?: Ends;
  /** A reader with the server's own token, while that token sees everything. */
  judge?: () => Judge | null;
}): Actor {
  const context = (signal: AbortSignal): ActContext => ({
    client,
    roots,
    signal,
    now,
    renewals,
    remembered,
    judge,
    ...(ends === undefined ? {} : { ends }),
  });
  const by = inTurn(client);
  return {
    async plan(action, signal) {
      try {
        return await actOf(action).plan(action, context(signal));
      } catch (error) {
        return problemOf(error, signal);
      }
    },
    refuses(action, expect) {
      try {
        requirePlausible(action, actOf(action).shape(action), seenIn(expect), { roots });
        return null;
      } catch (error) {
        return problemOf(error);
      }
    },
    saw(_action, expect) {
      const seen = seenSchema.safeParse(expect);
      return seen.success ? sawOf(seen.data) : sawNothing;
    },
    async apply(action, expect, signal) {
      try {
        return await actOf(action).apply(action, seenIn(expect), context(signal));
      } catch (error) {
        return problemOf(error, signal);
      }
    },
    async rights(actions, signal) {
      const asking = askingOf(by, signal);
      const needs = await Promise.all(
        actions.map((action) =>
          acts[action.type] === undefined ? notOffered : actOf(action).needs(action, asking),
        ),
      );
      return rightsTo(by, needs, signal);
    },
  };
}
