/** The clients of Curator in a storm. They take a lock or a lease, work, let it go, and report the node of the hold. */

import type { CuratorLock, TestCurator } from '@/test/support/curator';
import { JavaThrown } from '@/test/support/driven';
import { below, type Hold, pause, work } from './history';

export const revocable = '/s/revocable';
export const locks: readonly (CuratorLock & { readonly path: string })[] = [
  { kind: 'mutex', path: '/s/mutex' },
  { kind: 'revocable', path: revocable },
  { kind: 'read', path: '/s/rw' },
  { kind: 'write', path: '/s/rw' },
  { kind: 'latch', path: '/s/latch', data: 'l' },
];
export const count = '/s/limit';
export const countMax = 3;
export const pools = [
  { path: '/s/fixed', limit: 2 },
  { path: '/s/single', limit: 1 },
  { path: '/s/shared', count },
] as const;
export const limits: ReadonlyMap<string, number> = new Map(
  pools.map((pool) => [pool.path, 'limit' in pool ? pool.limit : countMax]),
);
const threadsEach = 2;
/** The rest after the library threw. */
const restMs = 200;

const isGone = (error: unknown) => error instanceof Error && /has ended/.test(error.message);

interface Taken {
  /** `null`: it holds no more, or its node is unknown. */
  readonly node: string | null;
  letGo(): Promise<unknown>;
}

/** Starts all work of one client, until it is over. Rejects for an error that is not the client's own end. */
export function employ(
  client: TestCurator,
  {
    isOver,
    onHold,
    enters,
    leaves,
  }: {
    readonly isOver: () => boolean;
    readonly onHold: (hold: Hold) => void;
    /** Called when the client believes that it holds. */
    readonly enters: (node: string) => void;
    readonly leaves: (node: string) => void;
  },
): Promise<unknown> {
  async function loop(
    place: string,
    shared: boolean,
    take: () => Promise<Taken>,
    works = work,
  ): Promise<void> {
    while (!isOver()) {
      const askedMs = Date.now();
      let node: string | null = null;
      let [fromMs, letMs]: [number | null, number] = [null, askedMs];
      let end: Hold['end'] = 'released';
      try {
        const taken = await take();
        ({ node } = taken);
        fromMs = Date.now();
        if (node !== null) enters(node);
        await works();
        letMs = Date.now();
        await taken.letGo();
      } catch (error) {
        if (fromMs === null || end !== 'released') letMs = Date.now();
        if (isGone(error)) end = 'killed';
        else if (error instanceof JavaThrown) end = 'unsure';
        else throw error;
      }
      if (node !== null) {
        leaves(node);
        onHold({ place, who: node, shared, askedMs, fromMs, letMs, endMs: Date.now(), end });
      }
      if (end === 'killed') return;
      if (end === 'unsure') await pause(restMs);
    }
  }
  const lockLoop = (lock: (typeof locks)[number], name: string) => {
    const thread = client.thread(name);
    const take = async () => {
      await thread.acquire(lock);
      const { acquired, node } = await thread.held(lock);
      return { node: acquired ? node : null, letGo: () => thread.release(lock) };
    };
    // Long enough to be seen and asked.
    const works = lock.kind === 'revocable' ? () => pause(300 + below(900)) : work;
    return loop(lock.path, lock.kind === 'read', take, works);
  };
  const poolLoop = (pool: (typeof pools)[number], name: string) => {
    const semaphore = client.thread(name).semaphore(pool);
    return loop(pool.path, true, async () => {
      const [lease = ''] = await semaphore.acquire();
      return { node: `${pool.path}/leases/${lease}`, letGo: () => semaphore.release(lease) };
    });
  };
  return Promise.all([
    ...locks.flatMap((lock, l) =>
      // A latch belongs to its client, whatever the thread.
      Array.from({ length: lock.kind === 'latch' ? 1 : threadsEach }, (_, n) => lockLoop(lock, `l${l}-${n}`)),
    ),
    ...pools.flatMap((pool, p) =>
      Array.from({ length: threadsEach }, (_, n) => poolLoop(pool, `p${p}-${n}`)),
    ),
  ]);
}
