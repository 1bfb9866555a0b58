/**
 * Asks Consul for a token's rights before an action is tried (`/v1/internal/acl/authorize`): for each action the rights
 * of its calls in `actions/`, as Consul checks them (agent/consul/kvs_endpoint.go, agent/session_endpoint.go). Consul
 * still enforces them when the action is applied.
 *
 * Ending a session requires the right to write the sessions of its node, and only a visible session names its node. A
 * session that locks a key is alive (Consul frees the key when it ends), so one that the token does not see is hidden
 * from it. The right to write sessions includes the right to read them.
 */

import type { Action } from '@/lib/domain/actions/action';
import { addressable } from '@/lib/domain/by-hand/addressable';
import type { Needed, Right } from '@/lib/domain/identity';
import type { Provider } from '@/lib/domain/seam/provider';
import { type Ask, anyName, asksMax } from '@/lib/providers/consul/client/acl';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { ConsulError, isControlOff } from '@/lib/providers/consul/client/errors';
import type { SessionRow } from '@/lib/providers/consul/client/wire';
import { contenderKey, coordinationKey } from '@/lib/providers/consul/rows/coordination';

/**
 * All of `asks`, and `known` without asking. `named`: the same for an operator. `parts`: the action is done part by
 * part.
 */
interface Need {
  readonly asks: readonly Ask[];
  readonly named: readonly Needed[];
  readonly known?: Right;
  readonly parts?: boolean;
}

/** Stands for any session's entry under a prefix: no session has this id. */
const anySession = '00000000-0000-0000-0000-000000000000';

const read = (segment: string): Ask => ({ resource: 'key', access: 'read', segment });
const write = (segment: string): Ask => ({ resource: 'key', access: 'write', segment });

const entry = (key: string): Need => ({
  asks: [write(key)],
  named: [{ code: 'write-entry', facts: { key } }],
});

/** Covers the coordination entry and the entry of a contender. */
const entries = (prefix: string, sessionId: string): Need => ({
  asks: [write(coordinationKey(prefix)), write(contenderKey(prefix, sessionId))],
  named: [{ code: 'write-folder', facts: { prefix } }],
});

/** On the session's node, if known. */
const ending = ({ node, known = 'unknown' }: Holder): Need => ({
  ...(node === undefined
    ? { asks: [], known }
    : { asks: [{ resource: 'session', access: 'write', segment: node }] }),
  named: [{ code: 'end-session', facts: { node: node ?? null } }],
});

/** Combines two needs, of which only the first may have a `known` right. */
const both = (one: Need, other: Need): Need => ({
  ...one,
  asks: [...one.asks, ...other.asks],
  named: [...one.named, ...other.named],
});

/** The node of the session, or the known right to end it without one. */
type Holder = { readonly node?: string; readonly known?: Right };

/** `null`: no answer. Throws a bug. */
async function answered<T>(asked: Promise<T>, signal: AbortSignal): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ConsulError || signal.aborted) return null;
    throw error;
  }
}

function combined(need: Pick<Need, 'known' | 'parts'>, rights: readonly Right[]): Right {
  const all = need.known === undefined ? rights : [...rights, need.known];
  // Some parts are allowed and some refused, so neither answer is true of all.
  if (need.parts && all.includes('no') && all.includes('yes')) return 'unknown';
  if (all.includes('no')) return 'no';
  return all.includes('unknown') ? 'unknown' : 'yes';
}

/** One question may concern many locks, and all heartbeats share the same sockets. */
const callsMax = 4;

type Asked = Pick<ConsulClient, 'get' | 'session' | 'sessions' | 'authorize'>;

/** Makes at most `max` of these calls at a time. */
function inTurn({ get, session, sessions, authorize }: Asked, max: number): Asked {
  const waiting: (() => void)[] = [];
  let free = max;
  const turn =
    <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await call(...args);
      } finally {
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    };
  return { get: turn(get), session: turn(session), sessions: turn(sessions), authorize: turn(authorize) };
}

/** The provider methods that answer with one client's token. */
export function createRights(
  calls: Asked,
): Required<Pick<Provider, 'rights' | 'readable' | 'seesSessions' | 'oversees'>> {
  const client = inTurn(calls, callsMax);
  const authorize = async (asks: readonly Ask[], signal: AbortSignal): Promise<Right[]> => {
    try {
      return (await client.authorize(asks, { signal })).map((allowed) => (allowed ? 'yes' : 'no'));
    } catch (error) {
      if (error instanceof ConsulError && isControlOff(error)) return asks.map(() => 'yes');
      if (error instanceof ConsulError || signal.aborted) return asks.map(() => 'unknown');
      throw error;
    }
  };

  /** Asks each question once, in batches of Consul's size. */
  const ask = async (asks: readonly Ask[], signal: AbortSignal) => {
    const name = ({ resource, access, segment }: Ask) => `${resource} ${access} ${segment}`;
    const each = new Map(asks.map((one) => [name(one), one]));
    const known = new Map<string, Right>();
    const list = [...each.values()];
    for (let start = 0; start < list.length; start += asksMax) {
      const some = list.slice(start, start + asksMax);
      const rights = await authorize(some, signal);
      some.forEach((one, i) => {
        known.set(name(one), rights[i] ?? 'unknown');
      });
    }
    return (one: Ask): Right => known.get(name(one)) ?? 'unknown';
  };

  /** The holder of a lock, or the known right where it cannot be named. */
  const holderOf = async (
    key: string,
    sessions: readonly SessionRow[] | null,
    signal: AbortSignal,
  ): Promise<Holder> => {
    if (!addressable(key)) return {};
    const row = await answered(client.get(key, { consistency: 'consistent', signal }), signal);
    const id = row?.value?.session ?? null;
    // An unreadable, free or absent lock: rights do not decide here.
    if (id === null) return {};
    const node = sessions?.find((session) => session.id === id)?.node;
    if (node !== undefined) return { node };
    if (sessions === null) return {};
    // The list is older than the row. Only a session that still holds and still does not show is hidden from the token.
    const [again, session] = await Promise.all([
      answered(client.get(key, { consistency: 'consistent', signal }), signal),
      answered(client.session(id, { consistency: 'consistent', signal }), signal),
    ]);
    if (session?.value) return { node: session.value.node };
    return session !== null && again?.value?.session === id ? { known: 'no' } : {};
  };

  const needOf = async (
    action: Action,
    sessions: readonly SessionRow[] | null,
    signal: AbortSignal,
  ): Promise<Need> => {
    const nodeOf = (id: string) => sessions?.find((session) => session.id === id)?.node;
    switch (action.type) {
      case 'lock.release': {
        const { key, how } = action;
        if (how === 'hand-over') return entry(key);
        const need = ending(await holderOf(key, sessions, signal));
        return { ...need, asks: [read(key), ...need.asks] };
      }
      case 'semaphore.evict': {
        const { prefix, sessionId, how } = action;
        if (how === 'slot-only') return entries(prefix, sessionId);
        const node = nodeOf(sessionId);
        const holder =
          node === undefined ? await holderOf(contenderKey(prefix, sessionId), sessions, signal) : { node };
        return both(ending(holder), entries(prefix, sessionId));
      }
      case 'semaphore.prune': {
        const keys = action.prefixes.map(coordinationKey);
        const [key, ...others] = keys;
        if (key === undefined || others.length > 0) {
          const named = [{ code: 'write-semaphores', facts: { count: keys.length } }] as const;
          return { asks: keys.map(write), named, parts: true };
        }
        // The proof that a holder is alive must be readable, or no holder is called a ghost (`actions/readable.ts`).
        const contenders = action.prefixes.map((prefix) => read(contenderKey(prefix, anySession)));
        return { ...entry(key), asks: [write(key), ...contenders] };
      }
      case 'semaphore.resize':
        return entry(coordinationKey(action.prefix));
      case 'session.destroy':
        return ending({ node: nodeOf(action.sessionId) });
      case 'lock.delete':
        return entry(action.key);
      case 'semaphore.delete':
        // Leftover entries of ended sessions are deleted, too, so any id stands for them.
        return entries(action.prefix, anySession);
    }
  };

  return {
    rights: async (actions, signal) => {
      const ends = actions.some(
        (action) =>
          action.type === 'session.destroy' || ('how' in action && action.how === 'destroy-session'),
      );
      const sessions = ends
        ? ((await answered(client.sessions({ consistency: 'consistent', signal }), signal))?.value ?? null)
        : null;
      const needs = await Promise.all(actions.map((action) => needOf(action, sessions, signal)));
      const right = await ask(
        needs.flatMap(({ asks }) => asks),
        signal,
      );
      return needs.map((need) => ({ right: combined(need, need.asks.map(right)), needs: need.named }));
    },
    readable: async (keys, signal) => {
      const right = await ask(keys.map(read), signal);
      return keys.map((key) => right(read(key)));
    },
    seesSessions: async (signal) => {
      const asks = (['session', 'node', 'service'] as const).map(
        (resource): Ask => ({ resource, access: 'read', segment: anyName }),
      );
      return combined({}, asks.map(await ask(asks, signal)));
    },
    oversees: async (signal) => {
      const rules: Ask = { resource: 'acl', access: 'read', segment: '' };
      return (await ask([rules], signal))(rules);
    },
  };
}
