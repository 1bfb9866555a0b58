/**
 * Two holders without a process, whose sessions no TTL ends. They outlive a killed demo, so the next one adopts them. A
 * demo that ends in order removes them.
 */
import { newCoordination, readCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import type { Scene } from './scene';
import { dropListed } from './strangers';
import { keys, props } from './world';

const lockKey = `${keys.report}/.lock`;

async function propSessions({ client }: Scene) {
  const names: readonly string[] = Object.values(props);
  return (await client.sessions({ consistency: 'consistent' })).value.filter(
    ({ name, ttlMs }) => names.includes(name) && ttlMs === null,
  );
}

async function holdersNow({ client }: Scene): Promise<readonly string[]> {
  const row = (await client.get(lockKey, { consistency: 'consistent' })).value;
  return row === null ? [] : (readCoordination(row.value).holders ?? []);
}

/** Fills the semaphore with its two holders, unless they are present. */
export async function setProps(scene: Scene): Promise<void> {
  const { client } = scene;
  const found = await propSessions(scene);
  const holders = await holdersNow(scene);
  if (found.length === 2 && found.every(({ id }) => holders.includes(id))) return;
  await clearProps(scene);
  // On a shared Consul this name may belong to another client.
  if ((await holdersNow(scene)).length > 0) return;
  const kept = { ttlMs: null, behavior: 'delete' as const, lockDelayMs: 0 };
  const ids = [
    await client.createSession({ ...kept, name: props.nodeBound }),
    await client.createSession({ ...kept, name: props.immortal, checks: [] }),
  ];
  for (const [i, id] of ids.entries()) {
    const owner = Object.values(props)[i];
    const note = { v: 1, group: id, n: 1, state: 'holding', owner, since: Date.now() };
    const value = Buffer.from(JSON.stringify(note));
    await client.acquire({ key: `${keys.report}/${id}`, value, flags: semaphoreFlags, session: id });
  }
  const index = (await client.get(lockKey, { consistency: 'consistent' })).value?.modifyIndex ?? '0';
  await client.cas({ key: lockKey, value: newCoordination('map', 2, ids), flags: semaphoreFlags, index });
}

/** Ends both sessions, frees their slots and removes the semaphore unless others use it. */
export async function clearProps(scene: Scene): Promise<void> {
  const { client } = scene;
  for (const { id } of await propSessions(scene)) {
    await dropListed(scene, lockKey, id);
    await client.destroySession(id);
  }
}
