import { performance } from 'node:perf_hooks';
import type { Clock } from '@/lib/providers/consul/client/clock';
import type { RightsClient } from './rights-book';

/**
 * Consul may work while this process is busy, too, so at least this share of the time counts. It bounds what a busy
 * process asks of Consul to four times the usual.
 */
const leastShare = 1 / 4;

const idleOfProcess = () => performance.eventLoopUtilization().idle;

/**
 * Measures what Consul works on the calls, in milliseconds: the time until each answer begins, in which this process
 * waited. Its own work would count as Consul's cost: the first questions of many people who come at once, each of which
 * is slow, put off all later ones by seconds. `idleMs`: the time in which this process had nothing to do, so far.
 */
export function timed(
  { authorize, get, keys }: RightsClient,
  clock: Pick<Clock, 'now'>,
  idleMs: () => number = idleOfProcess,
) {
  let costMs = 0;
  let underWay = 0;
  let began = { atMs: 0, idleMs: 0 };
  const time = async <R>(call: (onHead: () => void) => Promise<R>): Promise<R> => {
    if (underWay === 0) began = { atMs: clock.now(), idleMs: idleMs() };
    underWay += 1;
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      underWay -= 1;
      if (underWay === 0)
        costMs += Math.max(idleMs() - began.idleMs, leastShare * (clock.now() - began.atMs));
    };
    return call(over).finally(over);
  };
  const asker: RightsClient = {
    authorize: (asks, options) => time((onHead) => authorize(asks, { ...options, onHead })),
    get: (key, options) => time((onHead) => get(key, { ...options, onHead })),
    keys: (prefix, options) => time((onHead) => keys(prefix, { ...options, onHead })),
  };
  return { asker, costMs: () => costMs };
}
