/** The row of a fresh reading, with everything that the watch remembers of the name. Pure. */
import type { Lock, Semaphore } from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';
import { type NameRead, nothingRead, type ReadHold } from '@/lib/providers/redis/client/reading';
import type { RedisSettings } from '@/lib/providers/redis/client/settings';
import type { Form, Told } from '@/lib/providers/redis/recognise/form';
import { type Audience, type Memory, remember } from '@/lib/providers/redis/recognise/memory';
import { rowOf } from '@/lib/providers/redis/recognise/rows';
import { noSleep } from '@/lib/providers/redis/recognise/unwoken';
import type { Remembered } from '@/lib/providers/redis/watch/names-known';
import type { LockReading, SemaphoreReading } from './reading';

export interface FreshContext {
  readonly source: SourceId;
  readonly settings: Pick<RedisSettings, 'redlock' | 'semaphores'>;
  readonly remembered: (name: string) => Remembered | null;
  /** True when some listeners may belong to another database. */
  readonly isShared: () => boolean;
  /** Epoch milliseconds of this machine. */
  readonly now: () => number;
}

const restOf = (endsMs: number | null, nowMs: number): number | null =>
  endsMs === null ? null : Math.max(0, endsMs - nowMs);

const bare = { ...nothingRead, cut: false, slackMs: 0 };

function lockRead(name: string, reading: LockReading, atMs: number): NameRead {
  const { nowMs, type, endsMs, value, fields, token, queue } = reading;
  const hasMode = fields.some((one) => one.name === 'mode');
  const holds = fields.map((one): [string, ReadHold] => [
    one.name,
    one.hold.state === 'runs'
      ? { state: 'runs', ttlMs: restOf(one.hold.endsMs, nowMs) }
      : { state: one.hold.state, ttlMs: null },
  ]);
  return {
    ...bare,
    name,
    type,
    ttlMs: restOf(endsMs, nowMs),
    fields: fields.map((one) => [one.name, one.count] as const),
    text: type === 'string' ? Buffer.from(value) : null,
    textBytes: Buffer.byteLength(value),
    token: /^\d{1,20}$/.test(token) ? token : null,
    queue: queue.map(({ id }) => id),
    queueEnds: new Map(
      queue.flatMap(({ id, untilMs }) => (untilMs === '' ? [] : [[id, Number(untilMs)] as const])),
    ),
    readHolds: new Map(hasMode ? holds : []),
    atMs,
    serverMs: nowMs,
  };
}

function numberRead(name: string, reading: SemaphoreReading, atMs: number): NameRead {
  const { nowMs, type, endsMs, value, permits, held } = reading;
  return {
    ...bare,
    name,
    type,
    ttlMs: restOf(endsMs, nowMs),
    text: type === 'string' ? Buffer.from(value) : null,
    textBytes: Buffer.byteLength(value),
    cut: held > permits.length,
    permits: permits.map(({ bytes, untilMs }) => ({ id: bytes, score: String(untilMs) })),
    permitsCount: held,
    atMs,
    serverMs: nowMs,
  };
}

/** The memory of a name whose form a plan saw a moment ago. A name without holders shows no form in Redis. */
const blank = (read: NameRead, form: Form): Memory => ({
  read,
  form,
  holds: new Map(),
  arrivals: new Map(),
  heldMs: null,
  sleep: noSleep,
  taken: null,
});

function rowIn(
  context: FreshContext,
  read: NameRead,
  { heard, audience, was }: { heard: Told['heard']; audience: Audience | null; was: Form | null },
): Lock | Semaphore | null {
  const { source, settings, remembered } = context;
  const named = settings.semaphores.find(({ name }) => name === read.name);
  const hints: Told = {
    redlock: settings.redlock.some((prefix) => read.name.startsWith(prefix)),
    semaphore: named !== undefined,
    heard,
  };
  const before = remembered(read.name)?.memory ?? (was === null ? null : blank(read, was));
  const memory = remember(before, read, { told: hints, fresh: false });
  return memory === null ? null : rowOf({ source, memory, audience, limit: named?.limit ?? null });
}

/** True when the listeners for a name without a key may be those of another database. */
const isOfOthers = ({ isShared }: FreshContext, { type }: LockReading | SemaphoreReading): boolean =>
  type === 'none' && isShared();

const listening = (clients: number | null): clients is number => clients !== null && clients > 0;

/** `null`: the name is no lock of Redisson. */
export function lockRow(
  context: FreshContext,
  key: string,
  reading: LockReading,
  was: Form | null = null,
): Lock | null {
  const { clients, readers, queue } = reading;
  const atMs = context.now();
  const before = context.remembered(key)?.audience?.silentSinceMs;
  const audience: Audience | null =
    clients === null || readers === null
      ? null
      : {
          clients: context.isShared() ? null : Math.max(clients, readers),
          silentSinceMs: new Map(
            queue.map((one) => [one.id, one.listeners === 0 ? (before?.get(one.id) ?? atMs) : null]),
          ),
          atMs,
        };
  const kind = listening(readers) ? 'read-write' : listening(clients) ? 'lock' : null;
  const heard = isOfOthers(context, reading) ? null : kind;
  const row = rowIn(context, lockRead(key, reading, atMs), { heard, audience, was });
  return row?.kind === 'lock' ? row : null;
}

/** `null`: the name is no semaphore of Redisson. */
export function semaphoreRow(
  context: FreshContext,
  prefix: string,
  reading: SemaphoreReading,
  was: Form | null = null,
): Semaphore | null {
  const { clients } = reading;
  const atMs = context.now();
  const counted = context.isShared() ? null : clients;
  const audience = clients === null ? null : { clients: counted, silentSinceMs: new Map(), atMs };
  const heard = listening(clients) && !isOfOthers(context, reading) ? 'semaphore' : null;
  const row = rowIn(context, numberRead(prefix, reading, atMs), { heard, audience, was });
  return row?.kind === 'semaphore' ? row : null;
}
