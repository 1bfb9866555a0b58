/** Reads the present state of one lock or semaphore in one step of the server. */
import { z } from 'zod';
import {
  fencingKey,
  lockChannel,
  permitsKey,
  queueKey,
  queueTimesKey,
  readHoldKey,
  readWriteChannel,
  semaphoreChannel,
} from '@/lib/providers/redis/client/names';
import { readLock as lockScript } from './lock-scripts';
import { forbidden } from './refused';
import type { Script } from './script';
import { readPermit as permitScript, readSemaphore as semaphoreScript } from './semaphore-scripts';

/** Runs scripts on the master that has the slot of their keys. */
export interface ScriptServer {
  /** True when messages also go to the slot's own channels. */
  readonly inCluster: boolean;
  /**
   * Answers with strings as text. Rejects with a `ProblemError`: `unknown-result` when `writes` is set and the line
   * broke after sending.
   */
  run(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    options: { readonly writes: boolean },
  ): Promise<unknown>;
  /** True when a replica has the last write. `null`: unknown, or there is no replica. Never rejects. */
  replicated(key: string): Promise<boolean | null>;
}

/** A reader's own holds together. `over`: none of them runs any more. */
export type OwnHold =
  | { readonly state: 'runs'; readonly endsMs: number }
  | { readonly state: 'endless' | 'over' };

export interface LockReading {
  readonly nowMs: number;
  readonly type: string;
  /** Epoch milliseconds; `null`: never. */
  readonly endsMs: number | null;
  /** The value of a string. */
  readonly value: string;
  readonly fields: readonly {
    readonly name: string;
    readonly count: string;
    readonly hold: OwnHold;
  }[];
  /** '': none. */
  readonly token: string;
  readonly queue: readonly {
    readonly id: string;
    /** The score as the server writes it; '': none. */
    readonly untilMs: string;
    /** Clients that listen on the waiter's channel; `null`: Redis does not permit the question. */
    readonly listeners: number | null;
  }[];
  /**
   * Clients that listen on the lock's channel; `null`: Redis does not permit the question, or those of another database
   * may be among them.
   */
  readonly clients: number | null;
  /** Clients that listen on the read-write lock's channel; `null` as above. */
  readonly readers: number | null;
}

const count = z.number().transform((n) => (n < 0 ? null : n));
const texts = z.array(z.string());
const lockReply = z.tuple([
  z.number(),
  z.string(),
  z.number(),
  z.string(),
  texts,
  z.string(),
  texts,
  texts,
  z.array(count),
  count,
  count,
  z.array(z.number()),
]);

const pairs = (flat: readonly string[]) =>
  flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as const] : []));

/** The keys of a lock's scripts, in their order. */
export const lockKeys = (key: string) => [key, queueKey(key), queueTimesKey(key), fencingKey(key)];
/** The prefix of the keys of readers' holds. */
export const readHolds = (key: string): string =>
  readHoldKey(key, '', 1).slice(0, -':rwlock_timeout:1'.length);

export const modeOf = ({ inCluster }: Pick<ScriptServer, 'inCluster'>) => (inCluster ? 'cluster' : 'one');

const stopped = z.tuple([z.literal('forbidden'), z.string()]);

/** The reply of a script that reads. Throws `forbidden` where an access rule stops it. */
async function replyOf<T>(form: z.ZodType<T>, run: Promise<unknown>): Promise<T> {
  const reply = await run;
  const { data } = stopped.safeParse(reply);
  if (data !== undefined) throw forbidden(data[1]);
  return form.parse(reply);
}

/** The hold, from an answer of `PEXPIRETIME`. */
const ownHold = (ends: number): OwnHold =>
  ends >= 0 ? { state: 'runs', endsMs: ends } : { state: ends === -1 ? 'endless' : 'over' };

export async function readLock(server: ScriptServer, key: string): Promise<LockReading> {
  const args = [modeOf(server), '', lockChannel(key), readHolds(key), readWriteChannel(key)];
  const reply = await replyOf(lockReply, server.run(lockScript, lockKeys(key), args, { writes: false }));
  const [nowMs, type, endsMs, value, fields, token, queue, times, alive, plain, shared, ends] = reply;
  return {
    nowMs,
    type,
    endsMs: endsMs < 0 ? null : endsMs,
    value,
    fields: pairs(fields).map(([name, n], i) => ({ name, count: n, hold: ownHold(ends[i] ?? -2) })),
    token,
    queue: queue.map((id, i) => ({ id, untilMs: times[i] ?? '', listeners: alive[i] ?? null })),
    clients: plain,
    readers: shared,
  };
}

export interface SemaphoreReading {
  readonly nowMs: number;
  readonly type: string;
  readonly value: string;
  readonly endsMs: number | null;
  /** All permits, expired ones included. */
  readonly held: number;
  readonly expired: number;
  /** As above. */
  readonly clients: number | null;
  /** The permits that end first, at most `listedMax`, in the order of their ends. */
  readonly permits: readonly {
    /** The id as on screen. */
    readonly id: string;
    readonly bytes: Buffer;
    readonly untilMs: number;
  }[];
}

const semaphoreReply = z.tuple([
  z.number(),
  z.string(),
  z.string(),
  z.number(),
  z.number(),
  z.number(),
  count,
  texts,
]);

export const semaphoreKeys = (prefix: string) => [prefix, permitsKey(prefix)];

/** Most permits that a row lists. */
const listedMax = 1_000;

export async function readSemaphore(server: ScriptServer, prefix: string): Promise<SemaphoreReading> {
  const args = [modeOf(server), '', semaphoreChannel(prefix), String(listedMax)];
  const reply = await replyOf(
    semaphoreReply,
    server.run(semaphoreScript, semaphoreKeys(prefix), args, { writes: false }),
  );
  const [nowMs, type, value, endsMs, held, expired, clients, permits] = reply;
  return {
    nowMs,
    type,
    value,
    endsMs: endsMs < 0 ? null : endsMs,
    held,
    expired,
    clients,
    permits: pairs(permits).map(([hex, untilMs]) => {
      const bytes = Buffer.from(hex, 'hex');
      // Redisson before 3.17 stored the hexadecimal digits, not the bytes.
      return { id: bytes.length === 16 ? hex : bytes.toString('latin1'), bytes, untilMs: Number(untilMs) };
    }),
  };
}

/** The end of this permit, epoch milliseconds; `null`: there is no permit with this id. */
export async function readPermit(server: ScriptServer, prefix: string, id: string): Promise<number | null> {
  const args = [modeOf(server), '', id];
  const reply = await replyOf(
    z.string(),
    server.run(permitScript, semaphoreKeys(prefix), args, { writes: false }),
  );
  return reply === '' ? null : Number(reply);
}
