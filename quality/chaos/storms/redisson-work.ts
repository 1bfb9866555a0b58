/** The clients of Redisson in a storm. They take a lock or a permit, work, let it go, and report each answer. */
import { JavaThrown } from '@/test/support/driven';
import type { RedissonLock, RedissonThread } from '@/test/support/redisson';
import { any, below, type Hold, pause, type Span, work } from './history';
import { reconnectedMs } from './redis-judge';

export type Place = RedissonLock & { readonly name: string };
const copies = [0, 1, 2];
export const locks: readonly Place[] = copies.flatMap((n): Place[] => [
  { kind: 'lock', name: `l:plain-${n}` },
  { kind: 'fenced', name: `l:fenced-${n}` },
  { kind: 'fair', name: `l:fair-${n}` },
  { kind: 'read', name: `l:rw-${n}` },
  { kind: 'write', name: `l:rw-${n}` },
]);
export const pools = copies.map((n) => `l:pool-${n}`);
export const bystanders: readonly Place[] = copies.map((n) => ({ kind: 'fenced', name: `b:${n}` }));

export const permitLeaseMs = 20_000;

export const isGone = (error: unknown) => error instanceof Error && /has ended/.test(error.message);
const isLoss = (error: unknown) =>
  error instanceof JavaThrown && error.thrown.includes('IllegalMonitorState');

export interface WorkOptions {
  readonly isOver: () => boolean;
  /** True when a failover of this place touched the span. */
  readonly fell: (place: string, span: Span) => boolean;
  readonly onHold: (hold: Hold) => void;
}

/** Makes the work of a thread, until it is over or its client is dead. */
export function createWork({ isOver, fell, onHold }: WorkOptions) {
  /** One hold of a lock or of a permit, from its request to its release. */
  async function hold(
    place: string,
    shared: boolean,
    {
      ask,
      letGo,
      mend,
    }: {
      /** The holder's name; `null`: it gave up. */
      ask: () => Promise<string | null>;
      letGo: (who: string) => Promise<Hold['end']>;
      /** Releases a second hold, because a failover may double a call. */
      mend: () => Promise<void>;
    },
    party: string,
  ): Promise<void> {
    const askedMs = Date.now();
    let fromMs: number | null = null;
    let [letMs, who] = [askedMs, party];
    let end: Hold['end'];
    try {
      const got = await ask();
      if (got === null) {
        letMs = Date.now();
        if (letMs - askedMs >= reconnectedMs || fell(place, { fromMs: askedMs, toMs: letMs })) {
          // The library may repeat its call at a new master, and hold without knowing. Or the answer to its first call
          // was lost, and another client held at its second.
          onHold({ place, who: party, shared, askedMs, fromMs, letMs, endMs: letMs, end: 'unsure' });
          await mend();
        }
        return;
      }
      who = got;
      fromMs = Date.now();
      letMs = fromMs;
      await work();
      letMs = Date.now();
      end = await letGo(who);
    } catch (error) {
      if (isGone(error)) end = 'killed';
      else if (isLoss(error)) end = 'lost';
      else if (error instanceof JavaThrown) end = 'unsure';
      else throw error;
      if (fromMs === null) letMs = Date.now();
    }
    const endMs = Date.now();
    onHold({ place, who, shared, askedMs, fromMs, letMs, endMs, end });
    const isLong = (fromMs ?? endMs) - askedMs >= reconnectedMs || endMs - letMs >= reconnectedMs;
    if (end === 'unsure' || (end !== 'killed' && (isLong || fell(place, { fromMs: askedMs, toMs: endMs }))))
      await mend();
  }

  return async function works(thread: RedissonThread, isDead: () => boolean): Promise<void> {
    const party = await thread.party();
    while (!isOver() && !isDead()) {
      const lock = below(10) < 3 ? undefined : any(locks);
      if (lock === undefined) {
        const pool = any(pools) ?? '';
        const permits = thread.permits(pool);
        await hold(
          pool,
          true,
          {
            ask: async () => (await permits.acquire({ waitMs: 500, leaseMs: permitLeaseMs }))[0] ?? null,
            letGo: async (id) => ((await permits.tryRelease(id)) ? 'released' : 'lost'),
            // The lease ends it.
            mend: async () => {},
          },
          '',
        );
        continue;
      }
      const suffix = lock.kind === 'write' ? ':write' : '';
      await hold(
        lock.name,
        lock.kind === 'read',
        {
          ask: async () =>
            (await thread.acquire({ ...lock, waitMs: 1_000 })) === false ? null : `${party}${suffix}`,
          letGo: async () => {
            await thread.release(lock);
            // A fair lock's unlock answers the same when no client holds it.
            return lock.kind === 'fair' ? 'unsaid' : 'released';
          },
          mend: async () => {
            for (let tries = 0; tries < 20 && !isDead(); tries += 1) {
              const count = await thread.held(lock).then(
                (held) => held.count,
                () => null,
              );
              if (count === 0) return;
              if (count !== null) await thread.release(lock).catch(() => {});
              await pause(100);
            }
          },
        },
        `${party}${suffix}`,
      );
    }
  };
}
