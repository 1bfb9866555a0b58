/**
 * Checks the token's rights before an action. A hidden entry is not an absent one, and an action's last write must be
 * allowed.
 */

import { addressable } from '@/lib/domain/by-hand/addressable';
import type { Semaphore, World } from '@/lib/domain/model';
import { anyName, asksMax } from '@/lib/providers/consul/client/acl';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import type { TxnOp } from '@/lib/providers/consul/client/wire';
import { contenderKey } from '@/lib/providers/consul/rows/coordination';
import { mayRead } from '@/lib/providers/consul/sight/rights';
import { type ActContext, type Fresh, refusal, refused } from './consistent-read';

/** Consul before 1.14 takes 64 operations in one transaction. */
const opsMax = 64;

/**
 * Throws `forbidden` when the token may not read an entry that would keep a holder alive. Consul omits unreadable
 * entries from a list without notice (before 1.11, and always for anonymous callers), so a live holder would look like
 * a ghost. A request for one key shows a missing right, whether the key exists or not.
 *
 * One transaction asks about many keys, but requires the right to write them. `kvsPreApply` in
 * agent/consul/kvs_endpoint.go accepts the right to read only for `check-session` and `check-index`. Without the right
 * to write, each key is read separately.
 */
export async function requireReadable(context: ActContext, keys: readonly string[]): Promise<void> {
  const { client, signal } = context;
  for (let start = 0; start < keys.length; start += opsMax) {
    const batch = keys.slice(start, start + opsMax);
    const outcome = await client.txn(
      batch.map((key): TxnOp => ({ verb: 'check-not-exists', key })),
      { signal },
    );
    if (outcome.done) continue;
    const problem = refused(outcome.errors);
    // The check also fails for an existing key, which is a readable leftover.
    if (problem.problem.code !== 'forbidden') continue;
    for (const key of batch) {
      if (!addressable(key)) throw problem;
      await client.get(key, { consistency: 'consistent', signal });
    }
  }
}

/**
 * Throws `forbidden` when Consul says that the token may not write one of these keys. A failed question is no denial.
 */
export async function requireWritable(
  { client, signal }: ActContext,
  keys: readonly string[],
): Promise<void> {
  const asks = keys.map((segment) => ({ resource: 'key', access: 'write', segment }) as const);
  for (let at = 0; at < asks.length; at += asksMax) {
    const some = asks.slice(at, at + asksMax);
    const allowed = await client.authorize(some, { signal }).catch((error: unknown): boolean[] => {
      if (error instanceof ConsulError) return [];
      throw error;
    });
    if (allowed.includes(false)) throw refusal('forbidden', { code: 'token-refused', facts: {} });
  }
}

/**
 * Marks those `concerned` semaphores with `part` whose contenders the token may not all read, so that no screen denies
 * waiters. The mark depends on rights alone, so it reveals no hidden waiter. A right without an answer counts as
 * missing.
 */
export async function withUnseen(
  { client, signal }: ActContext,
  world: World,
  concerned: (semaphore: Semaphore) => boolean,
): Promise<World> {
  const prefixes = world.semaphores.filter(concerned).map(({ prefix }) => prefix);
  if (prefixes.length === 0) return world;
  const keys = prefixes.map((prefix) => contenderKey(prefix, anyName));
  const rights = await mayRead(client, keys, signal);
  const unseen = new Set(prefixes.filter((_, i) => rights[i] !== 'yes'));
  if (unseen.size === 0) return world;
  return {
    ...world,
    semaphores: world.semaphores.map((semaphore) =>
      unseen.has(semaphore.prefix) ? { ...semaphore, part: true } : semaphore,
    ),
  };
}

/** As `withUnseen`, for `also` and for the semaphores whose slots the end of this session frees. */
export async function withUnseenOf(
  context: ActContext,
  fresh: Fresh,
  sessionId: string,
  also: string | null = null,
): Promise<Fresh> {
  const concerned = ({ prefix, holders }: Semaphore) =>
    prefix === also || holders.some((holder) => holder.sessionId === sessionId);
  return { ...fresh, world: await withUnseen(context, fresh.world, concerned) };
}
