/** Processes as far as semaphores go: clients that share a connection hand slots on, others do not. */
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { TxnOp } from '@/lib/providers/consul/client/wire';
import type { Permit } from '@/packages/locks/src/permit';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { until } from '@/test/support/until';

type Send = () => ReturnType<ConsulClient['txn']>;

/** A write by which one leaves and another comes: it changes the holders and the entries of two. */
export const isHandover = (ops: readonly TxnOp[]) =>
  ops.filter(({ verb }) => verb === 'cas').length > 1 && ops.some(({ verb }) => verb === 'delete-cas');

export interface Process {
  readonly own: ConsulClient;
  /** Its transactions so far. */
  readonly writes: (readonly TxnOp[])[];
  /** How often one who waits here has followed a semaphore. */
  follows(): number;
}

/** A client of its own, over the connections of `client`. `meet`: sees each hand-over. */
export function another(
  client: ConsulClient,
  meet: (send: Send) => ReturnType<Send> = (send) => send(),
): Process {
  const writes: (readonly TxnOp[])[] = [];
  let follows = 0;
  const own: ConsulClient = {
    ...client,
    txn: (ops, options) => {
      writes.push(ops);
      const send = () => client.txn(ops, options);
      return isHandover(ops) ? meet(send) : send();
    },
    list: (prefix, options) => {
      // A holder of a slot lists the keys below the prefix.
      if (options?.block !== undefined && !prefix.endsWith('/')) follows += 1;
      return client.list(prefix, options);
    },
  };
  return { own, writes, follows: () => follows };
}

const never = new AbortController().signal;

/** The holder of the only slot, and one who waits in the same process and follows the semaphore. */
export async function holderAndWaiter(
  { own, follows }: Process,
  prefix: string,
  signal = never,
): Promise<{ semaphore: Semaphore; holder: Permit; waiting: Promise<Permit> }> {
  const semaphore = new Semaphore(own, { prefix, limit: 1, owner: prefix });
  const holder = await semaphore.acquire();
  const before = follows();
  const waiting = semaphore.acquire({ signal });
  waiting.catch(() => {});
  await until(() => follows() > before, { what: 'it follows the semaphore' });
  return { semaphore, holder, waiting };
}
