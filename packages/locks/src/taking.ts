/** The write by which slots change hands. */

import { ProblemError } from '@/lib/domain/problem';
import type { ConsulClient, TxnRefusal } from '@/lib/providers/consul/client/client';
import type { KvRow, TxnOp } from '@/lib/providers/consul/client/wire';
import { isPassing } from './retry';

export interface Taken {
  /** The coordination entry with the new holders. */
  readonly row: KvRow;
  readonly entries: readonly KvRow[];
}

/**
 * Writes the coordination entry and its contender entries in one transaction. `ids`: the sessions of these entries.
 * `refused`: an entry had moved. `unanswered`: the next read shows the result. Throws lasting failures, such as
 * `forbidden` for an entry that the token may not write.
 */
export async function take(
  client: ConsulClient,
  entry: Extract<TxnOp, { verb: 'cas' }>,
  others: readonly TxnOp[],
  ids: readonly string[],
): Promise<Taken | 'refused' | 'unanswered'> {
  try {
    const outcome = await client.txn([entry, ...others]);
    if (!outcome.done) throwDenied(outcome.errors);
    const row = outcome.done ? outcome.rows.find(({ key }) => key === entry.key) : undefined;
    if (!outcome.done || row === undefined) return 'refused';
    const entries = outcome.rows.filter(({ key }) => ids.some((id) => key.endsWith(`/${id}`)));
    return { row: { ...row, value: entry.value }, entries };
  } catch (error) {
    if (isPassing(error)) return 'unanswered';
    throw error;
  }
}

/** Throws `forbidden` for a missing right, because retries would never stop. */
export function throwDenied(errors: TxnRefusal['errors']): void {
  const denied = errors.find(({ what }) => /permission denied/i.test(what));
  if (denied !== undefined) throw new ProblemError({ code: 'forbidden', detail: denied.what });
}
