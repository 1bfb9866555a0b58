/** A store of many rows: locks and semaphores with their own sessions, and entries that are neither. */
import { type FurnishedLock, furnish } from './furnished';
import type { Plain } from './plain';

export interface Crowd {
  /** Held locks, ten to a session. */
  readonly locks: readonly FurnishedLock[];
  readonly rows: number;
  readonly sessions: number;
}

/**
 * Half of the rows are locks, an eighth belong to semaphores of three holders and two waiters, and the others to
 * neither.
 */
export async function crowd(plain: Plain, prefix: string, rows: number): Promise<Crowd> {
  const semaphores = Math.floor(rows / 50);
  const { locks, rows: made } = await furnish(plain, { prefix, locks: Math.floor(rows / 2), semaphores });
  const others = Array.from({ length: rows - made }, (_, i) => {
    const key = `${prefix}settings/app-${String(i % 997).padStart(3, '0')}/option-${i}`;
    return {
      KV: { Verb: 'set', Key: key, Value: Buffer.from(`{"value":${i},"by":"deploy"}`).toString('base64') },
    };
  });
  for (let at = 0; at < others.length; at += 64)
    await plain.json('PUT', '/v1/txn', JSON.stringify(others.slice(at, at + 64)));
  return { locks, rows, sessions: Math.ceil(locks.length / 10) + semaphores * 5 };
}

const lockFlags = '3304740253564472344';

/**
 * Writes to a lock as its holder does: another value, or another acquisition after a release. Resolves when Consul has
 * it.
 */
export async function writeAs(
  plain: Plain,
  { key, session }: FurnishedLock,
  value: string,
  verb: 'acquire' | 'release' = 'acquire',
): Promise<void> {
  const done = await plain.json<boolean>('PUT', `/v1/kv/${key}?${verb}=${session}&flags=${lockFlags}`, value);
  if (!done) throw new Error(`Consul refused to ${verb} ${key}.`);
}
