/** Roles that take and give back like well-behaved programs: workers at a gate, candidates, a session on two locks. */
import { pause } from '@/lib/providers/consul/client/clock';
import { forever, type Scene, work } from './scene';
import { gateLimit, keys } from './world';

/** Works 1 to 10 s in one of three slots, rests a little, and queues again. A TTL of 10 s heals a kill in 20 s. */
export function gate(scene: Scene, name: string): Promise<void> {
  const { consul, dice, end } = scene;
  const semaphore = consul.semaphore({
    prefix: keys.gate,
    limit: 'follow',
    initialLimit: gateLimit,
    owner: name,
    sessionTtlMs: 10_000,
  });
  return forever(scene, async () => {
    const permit = await semaphore.acquire({ signal: end });
    await work(dice.secondsMs(1, 10), permit.lost, end);
    await permit.release();
    await work(dice.secondsMs(0.5, 6), end);
  });
}

/** Leads for a while and steps down, so that the other candidates get their turn. */
export function candidate(scene: Scene, name: string): Promise<void> {
  const { consul, dice, end } = scene;
  const lock = consul.lock({ key: keys.leader, value: name, sessionName: name, sessionTtlMs: 15_000 });
  return forever(scene, async () => {
    const hold = await lock.acquire({ signal: end });
    await work(dice.secondsMs(25, 70), hold.lost, end);
    await hold.release();
    await work(dice.secondsMs(3, 8), end);
  });
}

/** One session with two locks, both of which its end frees. */
export function shards(scene: Scene, name: string): Promise<void> {
  const { consul, dice, end } = scene;
  return forever(scene, async () => {
    const session = await consul.session({ name, lockDelayMs: 5_000 });
    try {
      const locks = keys.shards.map((key) => consul.lock({ key, value: name, session: { id: session.id } }));
      const holds = [];
      for (const lock of locks) holds.push(await lock.acquire({ signal: end }));
      await work(dice.secondsMs(120, 240), ...holds.map((hold) => hold.lost), end);
      for (const hold of holds) await hold.release();
    } finally {
      await session.end();
    }
    await pause(dice.secondsMs(2, 6), end);
  });
}

/** Waits for a slot that only an operator can free. */
export function report(scene: Scene, name: string): Promise<void> {
  const { consul, dice, end } = scene;
  const semaphore = consul.semaphore({ prefix: keys.report, limit: 'follow', owner: name });
  return forever(scene, async () => {
    const permit = await semaphore.acquire({ signal: end });
    await work(dice.secondsMs(5, 15), permit.lost, end);
    await permit.release();
    await work(dice.secondsMs(5, 10), end);
  });
}
