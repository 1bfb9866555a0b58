/** English: what is held without a session, beside what a row of the board says. */
import type { Verdict } from '@/lib/domain/model';
import { holding as shown } from '@/lib/i18n/en/holding';
import { counted } from '@/lib/i18n/en/plural';

type Meanings = Readonly<Record<Verdict, string>>;

const lease: Meanings = {
  alive: 'Its lease runs. If its process has died, the lease frees what it holds when it ends.',
  overdue:
    'Its lease was seen to be renewed, and the renewals have stopped. It is probably dead; the lease ends by itself.',
  suspect: 'It is likely dead or cut off. Its lease ends by itself.',
  'node-bound': 'Its lease ends with something else than its process.',
  immortal: 'It has no lease that ends. If its process has died, only a person can free it.',
  ghost: 'Its lease is over, and its record is still there. The next client that asks sweeps it.',
  unknown: 'It cannot be told whether its process lives. Unknown does not mean dead.',
};

const entry: Meanings = {
  alive: 'Its entry is there: its client was connected within the last time-out of its session.',
  overdue: 'Its client is silent. Its entry goes when its session times out.',
  suspect: 'Its client is likely dead or cut off. Its entry goes when its session times out.',
  'node-bound': 'Its entry goes with something else than its client.',
  immortal: 'Nothing ends it by time. If its process has died, only a person can free it.',
  ghost: 'Its client is gone, and its entry is still there.',
  unknown: 'Its entry is there. Whether its client is alive cannot be told.',
};

export const holding = {
  ...shown,
  meanings: { lease, entry },
  /** A place in a queue whose client is gone. */
  deadWaiter: 'Its client is gone, and its place in the queue is still there.',
  /** A lease whose client waits for ever, because its place in the queue is gone. */
  stuckWaiter: 'Its client waits, but its place in the queue was deleted.',
  liveWaiter: 'It waits in the queue.',
  /** Beside one of several holders. */
  modes: { read: 'reads', write: 'writes' },
  facts: { times: 'taken', permits: 'has' },
  times: (n: number) => `${n} times (re-entered)`,
  permits: (n: number) => counted(n, 'permit', 'permits'),
  shownOnly: 'Signalbox only shows this kind. Nothing can be done to it here.',
  token: 'fencing token',
  tokenHelp: 'Rises with every hold: a store that checks it refuses an older holder.',
  remove: 'Remove…',
  state: 'state',
  entry: 'its entry',
};
