import type { Clock } from '@/lib/providers/consul/client/clock';
import type { RightsClient } from './rights-book';

/** Measures the time until each answer begins, in which Consul works on the call. */
export function timed({ authorize, keys }: RightsClient, clock: Pick<Clock, 'now'>) {
  let costMs = 0;
  let underWay = 0;
  let beganMs = 0;
  const time = async <R>(call: (onHead: () => void) => Promise<R>): Promise<R> => {
    if (underWay === 0) beganMs = clock.now();
    underWay += 1;
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      underWay -= 1;
      if (underWay === 0) costMs += clock.now() - beganMs;
    };
    return call(over).finally(over);
  };
  const asker: RightsClient = {
    authorize: (asks, options) => time((onHead) => authorize(asks, { ...options, onHead })),
    keys: (prefix, options) => time((onHead) => keys(prefix, { ...options, onHead })),
  };
  return { asker, costMs: () => costMs };
}
