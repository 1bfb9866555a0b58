/** Whether Consul takes a transaction of its size, asked before anything is promised or done that hangs on it. */

import { ProblemError } from '@/lib/domain/problem';
import { type TxnOp, txnBody, writeJson } from '@/lib/providers/consul/client/wire';
import { contenderKey } from '@/lib/providers/consul/rows/coordination';
import { type ActContext, refusal } from './consistent-read';
import type { SemaphoreRows } from './semaphore-rows';
import { unrecordOps } from './slot';

/** Every Consul takes this much unless configured otherwise (`limits.txn_max_req_len`). Base64 adds a third to a value. */
const bytesSure = 512 * 1024;

export const isTooLarge = (error: unknown): boolean =>
  error instanceof ProblemError && error.problem.why?.code === 'write-too-large';

type Asking = Pick<ActContext, 'client' | 'signal'>;

/**
 * Throws `write-too-large` where Consul would not take this write. The limit can be configured, so Consul itself is asked about a
 * large one: by that very write, and a check beside it that cannot hold. True where Consul was asked.
 */
export async function requireFits({ client, signal }: Asking, write: readonly TxnOp[]): Promise<boolean> {
  const value = write.find((op) => 'value' in op);
  if (value === undefined) return false;
  const bytes = writeJson(txnBody(write)).length;
  if (bytes <= bytesSure) return false;
  // The write needs the entry to exist, so the check fails, and nothing is written.
  const ops: TxnOp[] = [...write, { verb: 'check-not-exists', key: value.key }];
  try {
    await client.txn(ops, { signal });
  } catch (error) {
    if (isTooLarge(error))
      throw refusal('invalid', { code: 'write-too-large', facts: { bytes } }, { cause: error });
    // Of a lost answer nothing is to be feared here.
    if (error instanceof ProblemError && error.problem.code === 'unknown-result')
      throw new ProblemError({ code: 'unavailable' }, { cause: error });
    throw error;
  }
  return true;
}

/** As `requireFits`, of the write that takes a holder off the record once its session has ended. */
export async function requireSendable(
  context: Asking,
  semaphore: SemaphoreRows,
  sessionId: string,
): Promise<boolean> {
  const cas = unrecordOps(semaphore, sessionId);
  if (cas.length === 0) return false;
  // As long as what goes with it later.
  return requireFits(context, [
    ...cas,
    { verb: 'check-not-exists', key: contenderKey(semaphore.prefix, sessionId) },
  ]);
}
