/**
 * Asks Consul for a token's rights before an action (`/v1/internal/acl/authorize`), as Consul checks them
 * (agent/consul/kvs_endpoint.go, agent/session_endpoint.go). Consul still enforces them in the action.
 */

import type { Needed, Right, RightTo } from '@/lib/domain/identity';
import type { Readable } from '@/lib/domain/seam/provider';
import { type Ask, anyName, asksMax } from '@/lib/providers/consul/client/acl';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { ConsulError, isControlOff } from '@/lib/providers/consul/client/errors';
import { coordinationKey } from '@/lib/providers/consul/rows/coordination';

/**
 * The rights that an action needs: all of `asks`, and `known` without a question. `named`: the same for an operator.
 * `parts`: the action runs part by part.
 */
export interface Need {
  readonly asks: readonly Ask[];
  readonly named: readonly Needed[];
  readonly known?: Right;
  readonly parts?: boolean;
}

export const reading = (segment: string): Ask => ({ resource: 'key', access: 'read', segment });

/** The key that stands for a lock, a semaphore or a prefix. */
function keyOf(what: Readable): string {
  switch (what.kind) {
    case 'lock':
      return what.key;
    case 'semaphore':
      return coordinationKey(what.prefix);
    case 'below':
      return `${what.prefix}${anyName}`;
  }
}

function combined(need: Pick<Need, 'known' | 'parts'>, rights: readonly Right[]): Right {
  const all = need.known === undefined ? rights : [...rights, need.known];
  // Consul allows some parts and refuses others.
  if (need.parts && all.includes('no') && all.includes('yes')) return 'unknown';
  if (all.includes('no')) return 'no';
  return all.includes('unknown') ? 'unknown' : 'yes';
}

/** One question may concern many locks, and all heartbeats share the sockets. */
const callsMax = 4;

/** The calls of a question about rights. */
export type Asker = Pick<ConsulClient, 'get' | 'session' | 'sessions' | 'authorize'>;

/** Makes at most `callsMax` of these calls at a time. */
export function inTurn({ get, session, sessions, authorize }: Asker): Asker {
  const waiting: (() => void)[] = [];
  let free = callsMax;
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

type Authorizer = Pick<Asker, 'authorize'>;

async function authorized(by: Authorizer, asks: readonly Ask[], signal: AbortSignal): Promise<Right[]> {
  try {
    return (await by.authorize(asks, { signal })).map((allowed) => (allowed ? 'yes' : 'no'));
  } catch (error) {
    if (error instanceof ConsulError && isControlOff(error)) return asks.map(() => 'yes');
    if (error instanceof ConsulError || signal.aborted) return asks.map(() => 'unknown');
    throw error;
  }
}

/** Asks each question once, in batches of Consul's size. */
async function answers(by: Authorizer, asks: readonly Ask[], signal: AbortSignal) {
  const name = ({ resource, access, segment }: Ask) => `${resource} ${access} ${segment}`;
  const list = [...new Map(asks.map((one) => [name(one), one])).values()];
  const known = new Map<string, Right>();
  for (let start = 0; start < list.length; start += asksMax) {
    const some = list.slice(start, start + asksMax);
    const rights = await authorized(by, some, signal);
    some.forEach((one, i) => {
      known.set(name(one), rights[i] ?? 'unknown');
    });
  }
  return (one: Ask): Right => known.get(name(one)) ?? 'unknown';
}

/** The right to each of these, in their order. */
export async function rightsTo(
  by: Authorizer,
  needs: readonly Need[],
  signal: AbortSignal,
): Promise<readonly RightTo[]> {
  const right = await answers(
    by,
    needs.flatMap(({ asks }) => asks),
    signal,
  );
  return needs.map((need) => ({ right: combined(need, need.asks.map(right)), needs: need.named }));
}

/** The right to read each of these keys, in their order. */
export async function mayRead(
  by: Authorizer,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<readonly Right[]> {
  return keys.map(reading).map(await answers(by, keys.map(reading), signal));
}

export const readable = (by: Authorizer, what: readonly Readable[], signal: AbortSignal) =>
  mayRead(by, what.map(keyOf), signal);

export async function seesSessions(by: Authorizer, signal: AbortSignal): Promise<Right> {
  const asks = (['session', 'node', 'service'] as const).map(
    (resource): Ask => ({ resource, access: 'read', segment: anyName }),
  );
  return combined({}, asks.map(await answers(by, asks, signal)));
}

export async function oversees(by: Authorizer, signal: AbortSignal): Promise<Right> {
  const rules: Ask = { resource: 'acl', access: 'read', segment: '' };
  return (await answers(by, [rules], signal))(rules);
}
