/** Whether Consul takes a transaction of its size, asked before something is done that cannot be taken back. */
import { type TxnOp, txnBody, writeJson } from '@/lib/consul/client/wire';
import { ProblemError } from '@/lib/domain/problem';
import { type ActContext, contenderKey } from './fresh';
import type { SemaphoreRows } from './semaphore-rows';
import { unrecordOps } from './slot';

/** What every Consul takes that was not told otherwise (`limits.txn_max_req_len`). A value grows by a third on its way. */
const bytesSure = 512 * 1024;

/**
 * Throws `write-too-large` where Consul would not take the write that takes a holder off the record. With a large one Consul is asked
 * itself, for its limit can be set: by that very write, and comparisons beside it of which one cannot hold. True where it was asked.
 */
export async function requireSendable(
  { client, signal }: Pick<ActContext, 'client' | 'signal'>,
  semaphore: SemaphoreRows,
  sessionId: string,
): Promise<boolean> {
  const { lock, prefix } = semaphore;
  const cas = unrecordOps(semaphore, sessionId);
  if (lock === null || cas.length === 0) return false;
  const ops: TxnOp[] = [
    ...cas,
    // The entry is written only while it exists, so it cannot be absent as well: none of this is ever done.
    { verb: 'check-not-exists', key: lock.key },
    // As long as what goes with it later.
    { verb: 'check-not-exists', key: contenderKey(prefix, sessionId) },
  ];
  if (writeJson(txnBody(ops)).length <= bytesSure) return false;
  try {
    await client.txn(ops, { signal });
  } catch (error) {
    // Of a lost answer nothing is to be feared here.
    if (error instanceof ProblemError && error.problem.code === 'unknown-result')
      throw new ProblemError({ code: 'unavailable' }, { cause: error });
    throw error;
  }
  return true;
}
