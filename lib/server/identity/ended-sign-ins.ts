/**
 * Sign-ins that were ended early. A cookie can be opened until its absolute end, so a copy would sign in again after a
 * restart. Memory decides; the store keeps the list over restarts and shares it with other replicas.
 *
 *   blind --the store was read--> sighted --the store fails--> blind
 *
 * While blind, a sign-out counts in this process at once and is written later. Earlier sign-outs and other replicas'
 * are unknown, so their cookies count; the log reports the blindness, and later how many such cookies were used.
 */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { errorFields, type Log } from '@/lib/server/process/log';
import type { Store } from '@/lib/server/store/store';

export interface EndedSignIns {
  has(id: string): boolean;
  /** Counts at once. Resolves when the store has it, cannot be written, or is slow. */
  add(id: string, endsAtMs: number): Promise<void>;
  /** Resolves when the store was first read, cannot be read, or is slow. */
  ready(): Promise<void>;
  /** Writes the remaining sign-outs once more, unless the store is slow. */
  close(): Promise<void>;
}

/** The longest way of a sign-out to another replica. */
const lookMs = 5_000;
const waitMs = 2_000;
/** A replica whose clock is behind accepts a cookie after its end here. */
const clocksApartMs = 5 * 60_000;
/** Beyond this the oldest are forgotten. One address would need a day to reach it. */
const endedMaxDefault = 50_000;
const writtenMax = 1_000;

const digestOf = (id: string) => createHash('sha256').update(id).digest('hex');

export interface EndedSignInsOptions {
  /** `null`: in memory only. */
  readonly store: Pick<Store, 'db' | 'migrate'> | null;
  readonly shared: boolean;
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
  readonly endedMax?: number;
}

export function createEndedSignIns({
  store,
  shared,
  now,
  log,
  endedMax = endedMaxDefault,
}: EndedSignInsOptions): EndedSignIns {
  /** By digest, the instant at which each may be forgotten. */
  const ended = new Map<string, number>();
  const unwritten = new Map<string, number>();
  /** The digests accepted while blind; `null`: sighted. */
  let unsure: Set<string> | null = store === null ? null : new Set();
  let failing = false;
  let looking: Promise<void> | null = null;
  let started = store === null;

  const forget = (over: (endsAtMs: number, left: number) => boolean) => {
    for (const list of [ended, unwritten])
      for (const [digest, endsAtMs] of list) if (over(endsAtMs, list.size)) list.delete(digest);
  };
  const patiently = (done: Promise<void>) => Promise.race([done, delay(waitMs, undefined, { ref: false })]);
  const write = async (db: Store['db']) => {
    const rows = [...unwritten].slice(0, writtenMax);
    if (rows.length === 0) return;
    const table = 'signalbox_ended_sign_ins';
    await db
      .insertInto(table)
      .values(rows.map(([digest, ends_at_ms]) => ({ digest, ends_at_ms })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    for (const [digest] of rows) unwritten.delete(digest);
    await db
      .deleteFrom(table)
      .where('ends_at_ms', '<', now() - clocksApartMs)
      .execute();
    const last = db.selectFrom(table).select('digest').orderBy('ends_at_ms', 'desc').limit(endedMax);
    await db.deleteFrom(table).where('digest', 'not in', last).execute();
  };
  const read = async (db: Store['db']) => {
    const rows = await db
      .selectFrom('signalbox_ended_sign_ins')
      .selectAll()
      .where('ends_at_ms', '>', now() - clocksApartMs)
      .orderBy('ends_at_ms')
      .execute();
    for (const { digest, ends_at_ms } of rows) ended.set(digest, Number(ends_at_ms));
    const cameBack = [...(unsure ?? [])].filter((digest) => ended.has(digest)).length;
    if (cameBack > 0)
      log.warn({ signIns: cameBack }, 'signed-out cookies counted while ended sign-ins could not be read');
    unsure = null;
  };
  const lookNow = async () => {
    if (store === null) return;
    try {
      await store.migrate();
      await write(store.db);
      if (shared || unsure !== null) await read(store.db);
      failing = false;
    } catch (error) {
      if (shared) unsure ??= new Set();
      if (!failing)
        log.warn(
          { unwritten: unwritten.size, blind: unsure !== null, ...errorFields(error) },
          'ended sign-ins are not kept for now: the store cannot be reached',
        );
      failing = true;
    }
  };
  /** One queued look serves all callers: a store that hangs must not gather a queue. */
  let next: Promise<void> | null = null;
  const begin = (): Promise<void> => {
    next = null;
    looking = lookNow().finally(() => {
      looking = null;
      started = true;
    });
    return looking;
  };
  const look = (): Promise<void> => {
    if (looking === null) return next ?? begin();
    next ??= looking.then(begin);
    return next;
  };
  const first = look();
  const timer = setInterval(() => {
    forget((endsAtMs, left) => endsAtMs < now() - clocksApartMs || left > endedMax);
    if (looking === null && (shared || unsure !== null || unwritten.size > 0)) void look();
  }, lookMs);
  timer.unref();

  return {
    has: (id) => {
      const digest = digestOf(id);
      if (ended.has(digest)) return true;
      if (unsure !== null && unsure.size < endedMax) unsure.add(digest);
      return false;
    },
    add: async (id, endsAtMs) => {
      const digest = digestOf(id);
      if (ended.has(digest)) return;
      ended.set(digest, endsAtMs);
      unsure?.delete(digest);
      if (store === null) return;
      unwritten.set(digest, endsAtMs);
      await patiently(look());
    },
    ready: async () => {
      if (!started) await patiently(first);
    },
    close: async () => {
      clearInterval(timer);
      await patiently(unwritten.size > 0 ? look() : (looking ?? Promise.resolve()));
      if (unwritten.size > 0)
        log.warn({ signIns: unwritten.size }, 'sign-outs were not kept: their cookies count after a restart');
    },
  };
}
