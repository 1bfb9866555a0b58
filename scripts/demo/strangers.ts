/** Roles of other software, written as that software writes: the Java article, Terraform, Patroni. */

import type { Session, SessionOptions } from '@signalbox/locks';
import {
  editCoordination,
  newCoordination,
  readCoordination,
} from '@/lib/providers/consul/rows/coordination';
import { forever, type Scene, work } from './scene';
import { bankGhosts, bankLimit, keys } from './world';

const empty = Buffer.alloc(0);

/** Runs `body` with a session of its own, and ends the session afterwards. */
async function withSession(
  { consul }: Scene,
  options: SessionOptions,
  body: (session: Session) => Promise<void>,
): Promise<void> {
  const session = await consul.session(options);
  try {
    await body(session);
  } finally {
    await session.end();
  }
}

/** With four clients in rounds of some ten seconds: a ghost about once a minute. */
const leakChance = 0.05;

/**
 * A client of the Java article: an empty contender entry, holders as a list, flags 0, a look every half second, and no
 * pruning. With fewer than two ghosts it may end without giving its slot back, so that some leak. Its first round
 * always leaks, for a first look at the board, and later ones now and then, so that a prune visibly helps.
 */
export function bank(scene: Scene, name: string): Promise<void> {
  const { client, dice, end } = scene;
  const lockKey = `${keys.bank}/.lock`;
  let rounds = 0;
  return forever(scene, () =>
    withSession(scene, { name, behavior: 'delete', lockDelayMs: 0 }, async (session) => {
      const entry = `${keys.bank}/${session.id}`;
      const lost = AbortSignal.any([session.lost, end]);
      await client.acquire({ key: entry, value: empty, flags: '0', session: session.id });
      while (!lost.aborted && !(await takeListed(scene, lockKey, session.id))) await work(500, lost);
      await work(dice.secondsMs(4, 14), lost);
      const tidy = end.aborted || (rounds > 0 && dice.roll() > leakChance);
      rounds += 1;
      if (tidy || (await ghostsOf(scene, lockKey)) >= bankGhosts)
        await dropListed(scene, lockKey, session.id);
    }).then(() => work(dice.secondsMs(1, 4), end)),
  );
}

async function takeListed({ client }: Scene, key: string, id: string): Promise<boolean> {
  const { value: row } = await client.get(key, { consistency: 'consistent' });
  if (row === null)
    return client.cas({ key, value: newCoordination('list', bankLimit, [id]), flags: '0', index: '0' });
  const { coordination } = readCoordination(row.value);
  if (coordination === null) return false;
  if (coordination.holders.includes(id)) return true;
  if (coordination.holders.length >= coordination.limit) return false;
  const value = editCoordination(coordination, { holders: [...coordination.holders, id] });
  return client.cas({ key, value, flags: row.flags, index: row.modifyIndex });
}

/** Removes a session from the holders of a semaphore in either layout, and keeps the rest. */
export async function dropListed({ client, dice }: Scene, key: string, id: string): Promise<void> {
  for (;;) {
    const { value: row } = await client.get(key, { consistency: 'consistent' });
    const coordination = row === null ? null : readCoordination(row.value).coordination;
    if (row === null || coordination === null || !coordination.holders.includes(id)) return;
    const value = editCoordination(coordination, { holders: coordination.holders.filter((h) => h !== id) });
    if (await client.cas({ key, value, flags: row.flags, index: row.modifyIndex })) return;
    await work(dice.roll() * 50);
  }
}

async function ghostsOf({ client }: Scene, key: string): Promise<number> {
  const rows = (await client.list(`${keys.bank}/`, { consistency: 'consistent' })).value;
  const locking = new Set(rows.map((row) => row.session));
  const coordination = rows.find((row) => row.key === key);
  if (coordination === undefined) return 0;
  return (readCoordination(coordination.value).holders ?? []).filter((id) => !locking.has(id)).length;
}

/**
 * A run of `terraform apply` on the consul backend: api.Lock with a lock-delay of 5 s, and a plain key with the owner.
 * Mirrored from hashicorp/terraform, internal/backend/remote-state/consul/client.go.
 */
export function terraform(scene: Scene, who: string): Promise<void> {
  const { consul, client, dice, end } = scene;
  const infoKey = `${keys.terraform}/.lockinfo`;
  const lock = consul.lock({
    key: `${keys.terraform}/.lock`,
    sessionName: 'Consul API Lock',
    lockDelayMs: 5_000,
  });
  const writeInfo = async (value: Buffer | null) => {
    const index = (await client.get(infoKey)).value?.modifyIndex ?? '0';
    if (value !== null) await client.cas({ key: infoKey, value, flags: '0', index });
    else await client.deleteCas(infoKey, index);
  };
  return forever(scene, async () => {
    const hold = await lock.acquire({ signal: end });
    const info = {
      ID: hold.session,
      Operation: dice.pick(['OperationTypeApply', 'OperationTypePlan']),
      Info: `consul session: ${hold.session}`,
      Who: who,
      Version: '1.9.8',
      Created: new Date().toISOString(),
      Path: keys.terraform,
    };
    await writeInfo(Buffer.from(JSON.stringify(info)));
    await work(dice.secondsMs(60, 150), hold.lost, end);
    await writeInfo(null);
    await hold.release();
    await lock.destroy();
    await work(dice.secondsMs(8, 20), end);
  });
}

/**
 * A member of a Patroni cluster. One session locks its member key and, when it leads, the leader key. Mirrored from
 * patroni/dcs/consul.py (names, a lock-delay of 1 ms, behavior delete, flags 0).
 */
export function patroni(scene: Scene, member: string): Promise<void> {
  const { client, end } = scene;
  const scope = keys.postgres.split('/').at(-1);
  const request = { name: `${scope}-${member}`, behavior: 'delete' as const, lockDelayMs: 1 };
  return forever(scene, () =>
    withSession(scene, request, async (session) => {
      const stop = AbortSignal.any([session.lost, end]);
      const write = (key: string, value: string) =>
        client.acquire({ key, value: Buffer.from(value), flags: '0', session: session.id });
      while (!stop.aborted) {
        const leads = await write(`${keys.postgres}/leader`, member);
        const state = {
          conn_url: `postgres://${member}.internal:5432/postgres`,
          api_url: `http://${member}.internal:8008/patroni`,
          state: 'running',
          role: leads ? 'master' : 'replica',
          version: '3.0.2',
          timeline: 4,
        };
        await write(`${keys.postgres}/members/${member}`, JSON.stringify(state));
        await work(5_000, stop);
      }
    }),
  );
}
