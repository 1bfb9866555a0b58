/**
 * The sights of all tokens in use. Tokens with the same policies, roles and identities share one sight. One of them
 * asks for its rights, and the world is cut once for all. Every few seconds Consul is asked if it still knows each
 * token, and if its policies are unchanged.
 *
 *   follow --policies learned--> in a sight --others learned--> in another one
 *              |                    |--there is no room any more--> turned away
 *              |                    '--Consul twice does not know the token--> notified, and shown nothing more
 *              '--there is no room--> turned away: notified, and tried again with each question about the token
 *
 * Memory limits the number of sights. A token without room replaces a sight of the network with the most, if its own
 * network then has no more. So no network can shut out another.
 */

import type { Problem } from '@/lib/domain/problem';
import type { ProviderListener } from '@/lib/domain/seam/provider';
import type { TokenRow } from '@/lib/providers/consul/client/acl';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { onNarrow, type Stage } from './server-world';
import { createSharedSight, type SharedSight, unaskedMaxMs } from './shared-sight';
import { createTurns } from './turns';

export interface Sights {
  /**
   * Sends the visible part of the stage for this client's token, while the stage is `wide` and until the signal aborts.
   * `from`: the network of the client.
   */
  follow(
    { client, from }: { readonly client: ConsulClient; readonly from: () => string },
    listener: ProviderListener,
    signal: AbortSignal,
  ): Promise<void>;
}

interface SightFollower {
  readonly client: ConsulClient;
  readonly from: () => string;
  readonly listener: ProviderListener;
  readonly onBug: (error: unknown) => void;
}

/** The time between two questions if Consul knows the token. */
const lifeMs = 2_500;
const retryMs = 500;
/**
 * The time from the first refusal of a token to the next question. A server that starts may name a leader before it has
 * read its tokens, which must not sign a person out.
 */
const unsureMs = 1_000;
const timeoutMs = 1_500;
/** Longer than the 30 s for which an agent caches a token (`acl.token_ttl`, `acl.policy_ttl`). */
const cachedMaxMs = 35_000;
export interface SightsRoom {
  /** Most rows in all sights together, some hundred bytes each. */
  readonly rows: number;
  /** Least number of sights, in a world of any size. */
  readonly least: number;
}
const roomDefault: SightsRoom = { rows: 500_000, least: 10 };

/** The token of a client. A server that has just started knows none until there is a leader. */
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

export function createSights({
  stage,
  clock,
  room = roomDefault,
}: {
  readonly stage: Stage;
  readonly clock: Clock;
  readonly room?: SightsRoom | undefined;
}): Sights {
  const turns = createTurns(clock);
  /** The sights by the rights of their tokens, oldest first. */
  const open = new Map<string, SharedSight>();

  const max = () => {
    const { world } = stage.scene ?? { world: null };
    const rows = world === null ? 0 : world.locks.length + world.semaphores.length + world.sessions.length;
    return Math.max(room.least, Math.floor(room.rows / Math.max(1, rows)));
  };
  /** The sights of the network with the most, newest last. */
  const largest = (): readonly SharedSight[] => {
    const brought = new Map<string, SharedSight[]>();
    for (const sight of open.values()) brought.set(sight.from, [...(brought.get(sight.from) ?? []), sight]);
    return [...brought.values()].reduce<readonly SharedSight[]>(
      (most, of) => (of.length > most.length ? of : most),
      [],
    );
  };
  /** False if the largest network has no more than this one would have. */
  const makeRoom = (from: string): boolean => {
    if (open.size < max()) return true;
    const mine = [...open.values()].filter((sight) => sight.from === from).length;
    const most = largest();
    if (most.length <= mine + 1) return false;
    most.at(-1)?.turnAway();
    return true;
  };

  /** A growing world leaves room for fewer sights. */
  stage.follow({
    scene: () => {
      for (let left = open.size - max(); left > 0; left -= 1) largest().at(-1)?.turnAway();
    },
  });

  /** Joins a sight; `null`: there is no room. */
  const join = (
    rights: string,
    { client, from, listener, onBug }: SightFollower,
    onTurnedAway: () => void,
  ) => {
    const there = open.get(rights);
    if (there === undefined && !makeRoom(from())) return null;
    const sight = there ?? createSharedSight({ stage, clock, turns });
    open.set(rights, sight);
    const end = new AbortController();
    // Called when there is something to see, which the shared watch then sends.
    const onKnown = () => listener.shares?.(sight.watch);
    const leave = sight.join({ asker: client, from, onBug, onTurnedAway, onKnown });
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

  const live = async (following: SightFollower, signal: AbortSignal) => {
    const { client, listener } = following;
    let rights: string | null = null;
    let inside: string | null = null;
    let leave = () => {};
    let knownMs = clock.now();
    let wasUnknown = false;
    const out = (problem: Problem) => {
      leave();
      leave = () => {};
      inside = null;
      const { source } = stage;
      if (source !== null) listener.source({ ...source, state: 'stale', problem });
    };
    /**
     * The instant at which the rights changed. Consul may still answer by the old rights for 30 s, and no other token
     * may see by those.
     */
    let movedMs = Number.NEGATIVE_INFINITY;
    const turnedAway = () =>
      out({ code: 'busy', why: { code: 'too-many-rights', facts: { max: max(), retryAfterMs: lifeMs } } });
    try {
      while (!signal.aborted) {
        const said = await tokenOf(client, signal);
        if (signal.aborted) return;
        const isUnknown = !isToken(said) && said.code === 'signed-out';
        const restMs = isUnknown && !wasUnknown ? unsureMs : retryMs;
        if (isToken(said)) {
          knownMs = clock.now();
          if (rights !== null && said.rights !== rights) movedMs = knownMs;
          rights = said.rights;
          const name = knownMs - movedMs < cachedMaxMs ? `${rights} ${said.accessorId}` : rights;
          if (name !== inside) {
            leave();
            const joined = join(name, following, turnedAway);
            if (joined === null) turnedAway();
            else [inside, leave] = [name, joined];
          }
        } else if (isUnknown) {
          if (wasUnknown) out(said);
        } else if (inside !== null && stage.source?.state === 'live' && clock.now() - knownMs > unaskedMaxMs)
          out(said);
        wasUnknown = isUnknown;
        await clock.pause(isToken(said) ? lifeMs : restMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      leave();
    }
  };

  return {
    follow: async ({ client, from }, listener, signal) => {
      const end = new AbortController();
      const bugs: unknown[] = [];
      const onBug = (error: unknown) => {
        bugs.push(error);
        end.abort();
      };
      const unfollow = onNarrow(stage, () => end.abort());
      if (stage.width !== 'wide') end.abort();
      try {
        await live({ client, from, listener, onBug }, AbortSignal.any([signal, end.signal]));
      } finally {
        unfollow();
      }
      if (bugs.length > 0) throw bugs[0];
    },
  };
}
