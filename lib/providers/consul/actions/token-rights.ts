/**
 * Whether a token may read what it did not find, as an entry that is kept from it is not absent; and whether it may write
 * what an action writes last.
 */

import { addressable } from '@/lib/domain/by-hand/addressable';
import type { Semaphore, World } from '@/lib/domain/model';
import { anyName, asksMax } from '@/lib/providers/consul/client/acl';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import type { TxnOp } from '@/lib/providers/consul/client/wire';
import { contenderKey } from '@/lib/providers/consul/rows/coordination';
import { mayRead } from '@/lib/providers/consul/sight/rights';
import { type ActContext, type Fresh, refusal, refused } from './consistent-read';

/** Consul takes 64 operations in one transaction (128 since 1.14). */
const opsMax = 64;

/**
 * Throws `forbidden` when the token may not read the entry that would keep a holder alive. Consul leaves such an
 * entry out of a list without a word (before 1.11, and for anonymous callers always), and a living holder would pass
 * for a ghost. Asking for one key tells: a denied check says so, whether the key exists or not.
 *
 * One transaction asks for many, but wants the right to write them (`kvsPreApply` in agent/consul/kvs_endpoint.go lets
 * only `check-session` and `check-index` pass with the right to read); where that is missing each is read by itself.
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
    // A key that exists fails the check as well: an entry that was left behind, and that can be read.
    if (problem.problem.code !== 'forbidden') continue;
    for (const key of batch) {
      if (!addressable(key)) throw problem;
      await client.get(key, { consistency: 'consistent', signal });
    }
  }
}

/** Throws `forbidden` where Consul says that the token may not write one of these keys. Not being able to ask is no denial. */
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
 * The world with `part` on those of the `concerned` semaphores of which the token's rights do not show every contender: of these nobody
 * is to be told that no one waits. It goes by the rights alone, never by who is there, so it tells nothing of who is hidden.
 * What could not be asked is not shown.
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

/** As `withUnseen`, of the semaphores that the session holds a slot of, which its end makes free, and of `also`. */
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
