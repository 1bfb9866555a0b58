/** The write by which slots change hands. */

import { ProblemError } from '@/lib/domain/problem';
import type { ConsulClient, TxnRefusal } from '@/lib/providers/consul/client/client';
import type { Row, TxnOp } from '@/lib/providers/consul/client/wire';
import { isPassing } from './patience';

/** What was written when slots were taken. */
export interface Taken {
  /** The coordination entry that records who took them. */
  readonly row: Row;
  /** Their contender entries. */
  readonly entries: readonly Row[];
}

/**
 * Writes the coordination entry and, in the same transaction, the entries of those whom it concerns; all or nothing.
 * `ids`: whose entries are told of. `refused`: something had moved. `unanswered`: whether it was made, the next read tells. Throws what does not pass,
 * `forbidden` where the token may not write one of them.
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

/** Throws `forbidden` for the former: it would be refused for ever, and whoever tried again would never stop writing. */
export function throwDenied(errors: TxnRefusal['errors']): void {
  const denied = errors.find(({ what }) => /permission denied/i.test(what));
  if (denied !== undefined) throw new ProblemError({ code: 'forbidden', detail: denied.what });
}
