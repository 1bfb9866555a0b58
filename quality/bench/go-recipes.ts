/**
 * The requests of HashiCorp's Go clients, one by one: `Lock` and `Unlock` of api/lock.go, `Acquire` and `Release` of
 * api/semaphore.go, with their monitors. Each acquire makes a session, and each release ends it without a wait
 * (`RenewPeriodic` in api/session.go). Conflict checks and retries are left out: no errors occur here, and less work
 * can only be faster.
 */
import { pause } from '@/lib/providers/consul/client/clock';
import { lockFlags, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import type { Plain } from './plain';

interface Pair {
  readonly Key: string;
  readonly Value: string | null;
  readonly Session?: string;
  readonly ModifyIndex: number;
}

/** `DefaultLockWaitTime` and `DefaultSemaphoreWaitTime`. */
const waitTime = '15s';
/** `DefaultLockSessionTTL`. */
const ttl = '15s';

/** One acquire at a time, like one Go program. `reads` counts the queries on Consul. */
export interface GoContender {
  readonly count: { reads: number; writes: number };
  /** Waits for the lock. Resolves with a function that gives it back. Rejects when the signal aborts. */
  acquire(signal: AbortSignal): Promise<() => Promise<void>>;
  /** Resolves once all its sessions have ended. */
  ended(): Promise<unknown>;
}

function asking(plain: Plain) {
  const count = { reads: 0, writes: 0 };
  const read = async (path: string, signal: AbortSignal) => {
    count.reads += 1;
    const { status, headers, body } = await plain.request('GET', path, { signal });
    const pairs = status === 404 ? [] : (JSON.parse(body.toString('utf8')) as Pair[]);
    return { pairs, index: String(headers['x-consul-index']) };
  };
  const write = async <T>(method: string, path: string, body: string): Promise<T> => {
    count.writes += 1;
    return plain.json<T>(method, path, body);
  };
  const session = async (behavior: string, lockDelay: string) => {
    const asked = JSON.stringify({
      Name: 'Consul API Lock',
      TTL: ttl,
      Behavior: behavior,
      LockDelay: lockDelay,
    });
    return (await write<{ ID: string }>('PUT', '/v1/session/create', asked)).ID;
  };
  const endings = new Set<Promise<unknown>>();
  const destroy = (id: string) => {
    const ending = write('PUT', `/v1/session/destroy/${id}`, '').catch(() => {});
    endings.add(ending);
    void ending.then(() => endings.delete(ending));
  };
  return { count, read, write, session, destroy, ended: () => Promise.all(endings) };
}

/** Follows a held lock from change to change, until `over` returns true. */
async function watchHeld(
  read: (path: string, signal: AbortSignal) => Promise<{ pairs: Pair[]; index: string }>,
  path: string,
  over: (pairs: Pair[]) => boolean,
  signal: AbortSignal,
): Promise<void> {
  let wait = '';
  try {
    for (;;) {
      const { pairs, index } = await read(`${path}consistent${wait}`, signal);
      if (over(pairs)) return;
      wait = `&index=${index}`;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** `api.Lock` on `key`. `signal`: ends its monitors. */
export function goLock(plain: Plain, key: string, end: AbortSignal): GoContender {
  const { count, read, write, session, destroy, ended } = asking(plain);
  const path = `/v1/kv/${key}`;
  return {
    count,
    ended,
    acquire: async (signal) => {
      const id = await session('release', '15s');
      try {
        for (let wait = ''; ; ) {
          const { pairs, index } = await read(`${path}?wait=${waitTime}${wait}`, signal);
          if (pairs[0]?.Session) {
            wait = `&index=${index}`;
            continue;
          }
          if (await write<boolean>('PUT', `${path}?acquire=${id}&flags=${lockFlags}`, '')) break;
          // Another client was faster, or there is a lock-delay: "Determine why the lock failed" in api/lock.go.
          const found = await read(`${path}?wait=${waitTime}`, signal);
          wait = found.pairs[0]?.Session ? `&index=${found.index}` : '';
          // A lock-delay, which does not occur here, as no session ends while it holds.
          if (wait === '') await pause(5_000, signal);
        }
      } catch (error) {
        destroy(id);
        throw error;
      }
      void watchHeld(read, `${path}?`, (pairs) => pairs[0]?.Session !== id, end);
      return async () => {
        await write('PUT', `${path}?release=${id}&flags=${lockFlags}`, '');
        destroy(id);
      };
    },
  };
}

interface LockBody {
  Limit: number;
  Holders: Record<string, boolean>;
}

/** `api.Semaphore` on `prefix`. */
export function goSemaphore(
  plain: Plain,
  { prefix, limit }: { prefix: string; limit: number },
  end: AbortSignal,
): GoContender {
  const { count, read, write, session, destroy, ended } = asking(plain);
  const lockKey = `${prefix}/.lock`;
  const path = `/v1/kv/${prefix}?recurse&`;
  const decode = (pair: Pair | undefined): LockBody =>
    pair?.Value
      ? JSON.parse(Buffer.from(pair.Value, 'base64').toString('utf8'))
      : { Limit: limit, Holders: {} };
  const cas = (body: LockBody, index: number) =>
    write<boolean>('PUT', `/v1/kv/${lockKey}?cas=${index}&flags=${semaphoreFlags}`, JSON.stringify(body));
  return {
    count,
    ended,
    acquire: async (signal) => {
      const id = await session('delete', '15s');
      const entry = `/v1/kv/${prefix}/${id}`;
      try {
        await write('PUT', `${entry}?acquire=${id}&flags=${semaphoreFlags}`, '');
        for (let wait = ''; ; ) {
          const { pairs, index } = await read(`${path}wait=${waitTime}${wait}`, signal);
          const pair = pairs.find(({ Key }) => Key === lockKey);
          const body = decode(pair);
          // `pruneDeadHolders`
          const alive = new Set(pairs.map(({ Session }) => Session));
          for (const holder of Object.keys(body.Holders)) if (!alive.has(holder)) delete body.Holders[holder];
          if (Object.keys(body.Holders).length >= body.Limit) {
            wait = `&index=${index}`;
            continue;
          }
          body.Holders[id] = true;
          if (await cas(body, pair?.ModifyIndex ?? 0)) break;
        }
      } catch (error) {
        destroy(id);
        throw error;
      }
      const lost = (pairs: Pair[]) => !(id in decode(pairs.find(({ Key }) => Key === lockKey)).Holders);
      void watchHeld(read, path, lost, end);
      return async () => {
        for (;;) {
          const { pairs } = await read(`/v1/kv/${lockKey}`, end);
          const body = decode(pairs[0]);
          if (!(id in body.Holders)) break;
          delete body.Holders[id];
          if (await cas(body, pairs[0]?.ModifyIndex ?? 0)) break;
        }
        await write('DELETE', entry, '');
        destroy(id);
      };
    },
  };
}
