/** The write by which slots change hands. */

import { ProblemError } from '@/lib/domain/problem';
import type { ConsulClient, TxnRefusal } from '@/lib/providers/consul/client/client';
import type { KvRow, TxnOp } from '@/lib/providers/consul/client/wire';
import { isPassing } from './retry';

export interface Taken {
  /** Records the new holders. */
  readonly row: KvRow;
  /** Their contender entries. */
  readonly entries: readonly KvRow[];
}

/**
 * Writes the coordination entry and, in the same transaction, the entries concerned; all or nothing. `ids`: whose
 * entries. `refused`: something had moved. `unanswered`: the next read shows whether it was made. Throws failures that
 * do not pass, `forbidden` where the token may not write one of them.
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

/** Throws `forbidden` for a missing right: retries would never stop. */
export function throwDenied(errors: TxnRefusal['errors']): void {
  const denied = errors.find(({ what }) => /permission denied/i.test(what));
  if (denied !== undefined) throw new ProblemError({ code: 'forbidden', detail: denied.what });
}
