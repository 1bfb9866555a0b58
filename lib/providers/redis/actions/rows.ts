/** A fresh reading as the row that the rules of actions are asked about, and that is shown afterwards. Pure. */
import type { Expiry, Holder, Lock, Party, Semaphore, Verdict, Waiter } from '@/lib/domain/model';
import type { LockRef, SemaphoreRef } from '@/lib/domain/subject';
import { fact } from '@/lib/domain/verdict';
import { redissonIdOf } from '@/lib/providers/redis/client/names';
import { type LockReading, neverMs, type SemaphoreReading } from './reading';

const lease = (endsMs: number | null): Expiry => ({
  kind: endsMs === null ? 'never' : 'lease',
  withinMs: null,
  latestMs: endsMs,
  lastRenewalMs: null,
});

/** The client's first eight characters and the thread: enough to tell clients of one row apart. */
export function labelOf(id: string): string {
  const known = redissonIdOf(id);
  return known === null ? id.slice(0, 12) : `${known.client.slice(0, 8)}:${known.thread}`;
}

function party(sessionId: string, verdict: Verdict, expiry: Expiry): Party {
  return {
    sessionId,
    session: null,
    verdict,
    evidence: expiry.latestMs === null ? [] : [fact('redis-lease-runs', null, expiry.latestMs)],
    since: null,
    expiry,
    value: null,
    label: labelOf(sessionId),
  };
}

function holder(id: string, count: string, endsMs: number | null, mode?: 'read' | 'write'): Holder {
  const n = Number(count);
  return {
    ...party(id, endsMs === null ? 'immortal' : 'alive', lease(endsMs)),
    ...(mode === undefined ? {} : { mode }),
    ...(n === 1 ? {} : { count: n }),
  };
}

const waiterOf = ({ id, untilMs, listeners }: LockReading['queue'][number]): Waiter => {
  const latestMs = untilMs === '' ? null : Number(untilMs);
  const verdict = listeners === null ? 'unknown' : listeners === 0 ? 'ghost' : 'alive';
  return { ...party(id, verdict, lease(latestMs)), evidence: [] };
};

const isCount = (text: string) => /^[1-9]\d{0,9}$/.test(text);

function holdersIn(reading: LockReading): Pick<Lock, 'layout'> & { readonly holders: readonly Holder[] } {
  const { fields, endsMs, token, queue } = reading;
  const mode = fields.find(({ name }) => name === 'mode')?.count;
  const named = fields.filter(({ name, count }) => redissonIdOf(name) !== null && isCount(count));
  if (mode !== undefined) {
    const holders = named.flatMap((one) => {
      if (redissonIdOf(one.name)?.writer) return holder(one.name, one.count, endsMs, 'write');
      // The field of a reader whose lease ran out stays while another reader keeps the lock.
      return one.endsMs === null ? [] : holder(one.name, one.count, one.endsMs, 'read');
    });
    const writesFirst = [...holders].sort((a, b) => Number(b.mode === 'write') - Number(a.mode === 'write'));
    return { layout: 'redisson-read-write', holders: writesFirst };
  }
  const layout = queue.length > 0 ? 'redisson-fair' : token === '' ? 'redisson-lock' : 'redisson-fenced';
  if (named.length !== 1 || fields.length !== 1)
    return { layout: fields.length > 0 ? 'redisson-faster-multi' : layout, holders: [] };
  return { layout, holders: named.map((one) => holder(one.name, one.count, endsMs)) };
}

/** `null`: nothing there is a lock. */
export function lockOf(
  ref: LockRef,
  reading: LockReading,
  { isRedlock, watched }: { readonly isRedlock: boolean; readonly watched: Lock | null },
): Lock | null {
  const { type, value, endsMs, queue, clients, token } = reading;
  const isString = type === 'string' && isRedlock;
  if (type !== 'hash' && type !== 'none' && !isString) return null;
  const traces = type !== 'none' || queue.length > 0 || token !== '' || (clients ?? 0) > 0;
  if (!traces && watched === null) return null;
  const found = isString
    ? { layout: 'redlock' as const, holders: [holder(value, '1', endsMs)] }
    : holdersIn(reading);
  // Nothing tells the kind of a lock that nobody holds or waits for.
  const layout =
    found.layout === 'redisson-lock' && watched !== null && watched.layout !== 'redisson-read-write'
      ? watched.layout
      : type === 'none' && watched !== null && queue.length === 0
        ? watched.layout
        : found.layout;
  const [first = null, ...readers] = found.holders;
  const isUnknown = type === 'hash' && first === null;
  return {
    kind: 'lock',
    source: ref.source,
    key: ref.key,
    layout,
    state: first !== null ? 'held' : isUnknown ? 'unknown' : 'free',
    holder: first,
    ...(readers.length === 0 ? {} : { readers }),
    waiters: queue.length > 0 || layout === 'redisson-fair' ? queue.map(waiterOf) : null,
    ...(clients === null ? {} : { waitingClients: clients }),
    delayedUntilMs: null,
    delay: null,
    exists: type !== 'none',
    turnover: null,
    value: null,
    details: [],
    leftBehind: null,
    ...(token === '' ? {} : { lockIndex: token }),
  };
}

/** `null`: nothing there is a semaphore. */
export function semaphoreOf(
  ref: SemaphoreRef,
  reading: SemaphoreReading,
  {
    configured,
    watched,
  }: { readonly configured: number | null | undefined; readonly watched: Semaphore | null },
): Semaphore | null {
  const { type, value, hasPermits, held, permits, clients, nowMs } = reading;
  if (type !== 'string' || !/^-?\d{1,15}$/.test(value)) return null;
  const available = Number(value);
  const isPermits = configured === undefined && (hasPermits || watched?.layout === 'redisson-permits');
  if (
    !isPermits &&
    configured === undefined &&
    watched?.layout !== 'redisson-semaphore' &&
    (clients ?? 0) === 0
  )
    return null;
  const holders = permits.map(({ id, untilMs }) => {
    const expiry = lease(untilMs >= neverMs ? null : untilMs);
    const verdict = untilMs <= nowMs ? 'ghost' : expiry.kind === 'never' ? 'immortal' : 'alive';
    return { ...party(id, verdict, expiry), label: id.slice(0, 8) };
  });
  const limit = isPermits ? available + held : (configured ?? null);
  return {
    kind: 'semaphore',
    source: ref.source,
    prefix: ref.prefix,
    layout: isPermits ? 'redisson-permits' : 'redisson-semaphore',
    limit,
    ...(isPermits ? {} : { available }),
    ...(isPermits || limit === null ? {} : { limitBasis: 'configured' as const }),
    recorded: isPermits ? held : limit === null ? null : Math.max(0, limit - available),
    effective: isPermits ? held - reading.expired : null,
    holders: isPermits ? holders : [],
    waiters: [],
    ...(clients === null ? {} : { waitingClients: clients }),
    leftovers: [],
    turnover: null,
    problems: [],
    value: null,
  };
}
