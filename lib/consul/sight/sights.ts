/**
 * The sights of all tokens in use. Tokens with the same policies, roles and identities have the same rights, and share one sight: its
 * rights are asked with the token of one of them, and the world is cut once for all. What each token has for itself is its life: it
 * is asked every few seconds whether Consul still knows it, and whether its policies are still the same.
 *
 *   follow --policies learned--> in a sight --others learned--> in another one
 *                                   '--Consul does not know the token--> told so, and nothing more
 */
import type { TokenRow } from '@/lib/consul/client/acl';
import type { ConsulClient } from '@/lib/consul/client/client';
import type { Clock } from '@/lib/consul/client/clock';
import { ConsulError } from '@/lib/consul/client/errors';
import type { Problem } from '@/lib/domain/problem';
import type { ProviderListener } from '@/lib/domain/provider';
import { createSharedSight, type SharedSight, unaskedMaxMs } from './shared-sight';
import { onNarrow, type Stage } from './stage';

export interface Sights {
  /** Tells what this client's token may see of what is on the stage, until that is not `wide` any more or the signal aborts. */
  follow(client: ConsulClient, listener: ProviderListener, signal: AbortSignal): Promise<void>;
}

interface Following {
  readonly client: ConsulClient;
  readonly listener: ProviderListener;
  readonly onBug: (error: unknown) => void;
}

/** Between two questions whether Consul knows the token. */
const lifeMs = 2_500;
const retryMs = 500;
const timeoutMs = 1_500;

/** What Consul says of the token. A server that has just started knows none until there is a leader. */
async function tokenOf(client: ConsulClient, signal: AbortSignal): Promise<TokenRow | Problem> {
  try {
    return await client.token({ signal, timeoutMs });
  } catch (error) {
    if (signal.aborted || !(error instanceof ConsulError)) throw error;
    if (error.problem.code !== 'signed-out') return error.problem;
    const leader = await client.leader({ signal, timeoutMs }).catch(() => null);
    return leader === null ? { code: 'no-leader', why: { code: 'no-leader-now', facts: {} } } : error.problem;
  }
}

const isToken = (said: TokenRow | Problem): said is TokenRow => 'rights' in said;

export function createSights({ stage, clock }: { stage: Stage; clock: Clock }): Sights {
  /** By the rights of their tokens. */
  const open = new Map<string, SharedSight>();

  const join = (rights: string, { client, listener, onBug }: Following) => {
    const sight = open.get(rights) ?? createSharedSight({ stage, clock });
    open.set(rights, sight);
    const end = new AbortController();
    // Nobody is led there before there is something to see.
    const leave = sight.join({ asker: client, onBug, onKnown: () => listener.shares?.(sight.watch) });
    if (listener.shares === undefined) sight.watch.watch(listener, end.signal).catch(onBug);
    return () => {
      leave();
      end.abort();
      listener.shares?.(null);
      if (sight.members > 0 || open.get(rights) !== sight) return;
      open.delete(rights);
      sight.close();
    };
  };

  const live = async (following: Following, signal: AbortSignal) => {
    const { client, listener } = following;
    /** Of the sight that it is in. */
    let rights: string | null = null;
    let leave = () => {};
    let knownMs = clock.now();
    const out = (problem: Problem) => {
      leave();
      leave = () => {};
      rights = null;
      const { source } = stage;
      if (source !== null) listener.source({ ...source, state: 'stale', problem });
    };
    /** Consul may answer with what it knew of the rights of before for half a minute: others are not to see by that. */
    let isMoved = false;
    try {
      while (!signal.aborted) {
        const said = await tokenOf(client, signal);
        if (signal.aborted) return;
        if (isToken(said)) {
          knownMs = clock.now();
          if (said.rights !== rights) {
            isMoved ||= rights !== null;
            leave();
            rights = said.rights;
            leave = join(isMoved ? `${said.rights} ${said.accessorId}` : said.rights, following);
          }
        } else if (said.code === 'signed-out') out(said);
        else if (rights !== null && stage.source?.state === 'live' && clock.now() - knownMs > unaskedMaxMs)
          out(said);
        await clock.pause(isToken(said) ? lifeMs : retryMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      leave();
    }
  };

  return {
    follow: async (client, listener, signal) => {
      const end = new AbortController();
      const bugs: unknown[] = [];
      const onBug = (error: unknown) => {
        bugs.push(error);
        end.abort();
      };
      const unfollow = onNarrow(stage, () => end.abort());
      if (stage.width !== 'wide') end.abort();
      try {
        await live({ client, listener, onBug }, AbortSignal.any([signal, end.signal]));
      } finally {
        unfollow();
      }
      if (bugs.length > 0) throw bugs[0];
    },
  };
}
