/** Roles that get into the classic troubles: two that wait for each other, and a herd. */
import type { Session } from '@signalbox/locks';
import {
  editCoordination,
  newCoordination,
  readCoordination,
  semaphoreFlags,
} from '@/lib/providers/consul/rows/coordination';
import { forever, type Scene, work } from './scene';
import { herdLimit, herdSize, keys } from './world';

/**
 * Takes one semaphore and then the other, while its partner goes the other way round. Both stop for good until an
 * operator evicts one, which begins again after a while, and so does the deadlock.
 */
export function transfer(scene: Scene, name: string): Promise<void> {
  const { consul, dice, end } = scene;
  const path = name.endsWith('1') ? [keys.debit, keys.credit] : [keys.credit, keys.debit];
  const [first, second] = path.map((prefix) =>
    consul.semaphore({ prefix, limit: 1, owner: name, sessionName: name }),
  );
  let rounds = 0;
  return forever(scene, async () => {
    if (first === undefined || second === undefined) return;
    const one = await first.acquire({ signal: end });
    try {
      // Long enough for the partner to come as far. The first round is short, for a first look at the graph.
      await work(rounds === 0 ? 3_000 : dice.secondsMs(15, 25), one.lost, end);
      rounds += 1;
      const stop = AbortSignal.any([one.lost, end]);
      const two = await second.acquire({ signal: stop });
      await work(dice.secondsMs(1, 3), two.lost, stop);
      await two.release();
    } finally {
      await one.release();
    }
    await work(dice.secondsMs(5, 10), end);
  });
}

/**
 * A herd as Go clients leave it in Consul: many contenders without a queue. One process plays all of them, so it has a
 * herd's entries without the load of a read for each.
 */
export function herd(scene: Scene, name: string): Promise<void> {
  const { consul, client, dice, end } = scene;
  const lockKey = `${keys.herd}/.lock`;
  // Renewed twice a minute, because sixty clients with 15 s would be a load of their own.
  const request = { ttlMs: 60_000, behavior: 'delete' as const, lockDelayMs: 0 };
  return forever(scene, async () => {
    const members: Session[] = [];
    await scatter(scene, name);
    try {
      for (let i = 0; i < herdSize + herdLimit && !end.aborted; i++) {
        const member = await consul.session({ ...request, name: `${name}-${i + 1}` });
        members.push(member);
        const key = `${keys.herd}/${member.id}`;
        await client.acquire({ key, value: Buffer.alloc(0), flags: semaphoreFlags, session: member.id });
      }
      const lost = AbortSignal.any([end, ...members.map((member) => member.lost)]);
      let turn = 0;
      while (!lost.aborted) {
        const at = turn;
        const holding = Array.from(
          { length: herdLimit },
          (_, i) => members[(at + i) % members.length]?.id ?? '',
        );
        await seat(scene, lockKey, holding);
        await work(dice.secondsMs(10, 20), lost);
        turn += 1;
      }
    } finally {
      await seat(scene, lockKey, []).catch(() => {});
      await Promise.all(members.map((member) => member.end()));
    }
  });
}

/** Ends the leftovers of a killed demo, which their TTL would keep for two minutes. */
async function scatter({ client }: Scene, name: string): Promise<void> {
  const { value: sessions } = await client.sessions({ consistency: 'consistent' });
  for (const session of sessions)
    if (session.name.startsWith(`${name}-`)) await client.destroySession(session.id);
}

async function seat({ client }: Scene, key: string, holders: readonly string[]): Promise<void> {
  const row = (await client.get(key, { consistency: 'consistent' })).value;
  const coordination = row === null ? null : readCoordination(row.value).coordination;
  const value =
    coordination === null
      ? newCoordination('map', herdLimit, holders)
      : editCoordination(coordination, { holders });
  await client.cas({ key, value, flags: semaphoreFlags, index: row?.modifyIndex ?? '0' });
}
