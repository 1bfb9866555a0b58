/** A client that loses the answer to one transaction, which is made. */

import { ProblemError } from '@/lib/domain/problem';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { TxnOp } from '@/lib/providers/consul/client/wire';

/** Loses the first one for which `concerns` is true; `lost`: whether there was one. */
export function losing(client: ConsulClient, concerns: (ops: readonly TxnOp[]) => boolean = () => true) {
  let lost = false;
  const own: ConsulClient = {
    ...client,
    txn: async (ops, options) => {
      const outcome = await client.txn(ops, options);
      if (lost || !concerns(ops)) return outcome;
      lost = true;
      throw new ProblemError({ code: 'unknown-result' });
    },
  };
  return { own, lost: () => lost };
}
