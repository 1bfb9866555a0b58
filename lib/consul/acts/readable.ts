/** Whether a token may read what it did not find: an entry that is kept from it is not absent. */

import { addressable } from '@/lib/consul/client/addressable';
import type { TxnOp } from '@/lib/consul/client/wire';
import { type ActContext, refused } from './fresh';

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
    const asked = keys.slice(start, start + opsMax);
    const outcome = await client.txn(
      asked.map((key): TxnOp => ({ verb: 'check-not-exists', key })),
      { signal },
    );
    if (outcome.done) continue;
    const refusal = refused(outcome.errors);
    // A key that exists fails the check as well: an entry that was left behind, and that can be read.
    if (refusal.problem.code !== 'forbidden') continue;
    for (const key of asked) {
      if (!addressable(key)) throw refusal;
      await client.get(key, { consistency: 'consistent', signal });
    }
  }
}
