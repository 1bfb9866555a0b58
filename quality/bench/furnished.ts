/** Fills a Consul quickly with locks and semaphores that have holders and waiters, without any client library. */
import { lockFlags, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import type { Plain } from './plain';

export interface FurnishedLock {
  readonly key: string;
  readonly session: string;
}

export interface Furnished {
  /** Held locks. */
  readonly locks: readonly FurnishedLock[];
  /** The semaphores' prefixes. */
  readonly semaphores: readonly string[];
  /** The number of entries in the store. */
  readonly rows: number;
}

/** Sessions without a TTL, which last as long as the agent. */
export function makeSession(plain: Plain, name: string, behavior: 'release' | 'delete' = 'release') {
  const body = JSON.stringify({ Name: name, Behavior: behavior, LockDelay: '0s' });
  return plain.json<{ ID: string }>('PUT', '/v1/session/create', body).then(({ ID }) => ID);
}

interface Entry {
  readonly key: string;
  readonly value: string;
  readonly flags: string;
  /** The session that locks it. */
  readonly session?: string;
}

/** Most operations of one transaction in Consul. */
const opsMax = 128;

/** Flags are uint64, so they are printed bare and never go through a number. */
async function write(plain: Plain, entries: readonly Entry[]): Promise<void> {
  await each(Math.ceil(entries.length / opsMax), async (i) => {
    const ops = entries.slice(i * opsMax, (i + 1) * opsMax).map(({ key, value, flags, session }) => {
      const locked = session === undefined ? '' : `,"Session":"${session}"`;
      const text = Buffer.from(value).toString('base64');
      return `{"KV":{"Verb":"${session === undefined ? 'set' : 'lock'}","Key":"${key}","Value":"${text}","Flags":${flags}${locked}}}`;
    });
    await plain.json('PUT', '/v1/txn', `[${ops.join(',')}]`);
  });
}

/** Runs `make` for 0 to `count` - 1, 16 at a time. */
async function each<T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let at = 0; at < count; at += 16)
    made.push(
      ...(await Promise.all(Array.from({ length: Math.min(16, count - at) }, (_, i) => make(at + i)))),
    );
  return made;
}

/**
 * Makes `locks` locks, ten to a session, and `semaphores` semaphores, each with `holders` and `waiters` from `members`
 * in turns. Each member has its own session by default. All are under `prefix`, which ends in a slash.
 */
export async function furnish(
  plain: Plain,
  {
    prefix,
    locks = 0,
    semaphores = 0,
    holders = 3,
    waiters = 2,
    members: membersMax = semaphores * (holders + waiters),
  }: {
    prefix: string;
    locks?: number;
    semaphores?: number;
    holders?: number;
    waiters?: number;
    members?: number;
  },
): Promise<Furnished> {
  const owners = await each(Math.ceil(locks / 10), (i) => makeSession(plain, `worker-${i}`));
  const held = Array.from({ length: locks }, (_, i) => ({
    key: `${prefix}lock-${String(i).padStart(5, '0')}/.lock`,
    session: owners[Math.floor(i / 10)] ?? '',
  }));
  const note = (i: number) =>
    JSON.stringify({ owner: `host-${i % 50}:${1000 + i}`, since: 1_790_000_000_000 + i });
  const entries: Entry[] = held.map(({ key, session }, i) => ({
    key,
    session,
    value: note(i),
    flags: lockFlags,
  }));
  const prefixes = Array.from(
    { length: semaphores },
    (_, i) => `${prefix}pool-${String(i).padStart(5, '0')}`,
  );
  const size = holders + waiters;
  const members = await each(membersMax, (i) => makeSession(plain, `member-${i}`, 'delete'));
  prefixes.forEach((name, i) => {
    const mine = Array.from({ length: size }, (_, j) => members[(i * size + j) % members.length] ?? '');
    const recorded = Object.fromEntries(mine.slice(0, holders).map((id) => [id, true]));
    entries.push({
      key: `${name}/.lock`,
      value: JSON.stringify({ Limit: holders, Holders: recorded }),
      flags: semaphoreFlags,
    });
    mine.forEach((session, j) => {
      entries.push({ key: `${name}/${session}`, session, value: note(j), flags: semaphoreFlags });
    });
  });
  await write(plain, entries);
  return { locks: held, semaphores: prefixes, rows: entries.length };
}
