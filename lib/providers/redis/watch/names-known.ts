/** Every name in view, with its memory and its next reading. */
import type { SourceId } from '@/lib/domain/source';
import { twinOf } from '@/lib/providers/redis/client/names';
import type { Asked, NameRead, ReadAs } from '@/lib/providers/redis/client/reading';
import { inPrefixes, type RedisSettings } from '@/lib/providers/redis/client/settings';
import { mayBeOurs, type Told } from '@/lib/providers/redis/recognise/form';
import { nextLookMs } from '@/lib/providers/redis/recognise/lease';
import {
  type Audience,
  afterTaken,
  type Memory,
  remember,
  type Taken,
} from '@/lib/providers/redis/recognise/memory';
import { rowOf, unreadRow } from '@/lib/providers/redis/recognise/rows';
import { noSleep } from '@/lib/providers/redis/recognise/unwoken';
import { createAgenda } from './agenda';
import type { Look } from './audience';
import { createBeside } from './beside';
import { audienceOf, saysTheSame, sleepAfterLook } from './listeners';
import { createOthers } from './others';
import type { Shelf } from './shelf';

/** Shortest time between two readings of one name. */
const restMs = 100;
/** The same for a name that is none of ours. A counter may change a thousand times a second. */
const otherRestMs = 1_000;
/** Most names of others, at some 100 bytes each, twice. More are read again in each round. */
const othersMax = 200_000;
/** Each name is read again after this time, because pushes may get lost without a sign. */
const againMs = 60_000;
/** The same without pushes, and the addition for each name, so that many names cost no more at a time. */
const pollMs = 1_000;
const pollEachMs = 0.2;
/** The same for a name whose slot moves between servers. */
const movingMs = 1_000;
/** A free lock has no key, and stays in view for this time. */
const freeMs = 10 * 60_000;
const freeMax = 5_000;

interface Known {
  readonly memory: Memory;
  readonly audience: Audience | null;
  /** The link of the last reading, by number. */
  readonly round: number;
  /** When Signalbox last woke the waiters; `null`: never. */
  readonly wokenMs: number | null;
  /** True when the name could not be read after its last reading. */
  readonly isUnread: boolean;
}

/** The knowledge of a name that a fresh reading needs. */
export type Remembered = Pick<Known, 'memory' | 'audience'>;

export interface NamesKnown {
  remembered(name: string): Remembered | null;
  /** True when some listeners may belong to another database, by the last look. */
  readonly isShared: boolean;
  /** Takes in a key that was just written, or has ended. */
  heard(key: string, nowMs: number): void;
  /** Takes in the keys of a page of `SCAN`. Unknown names are read. */
  found(keys: readonly string[], nowMs: number): void;
  /** Reads all names again. */
  all(nowMs: number): void;
  /** The names to read now, at most `max`. */
  due(nowMs: number, max: number): readonly Asked[];
  nextMs(): number;
  /** Takes in readings. `live`: nothing was missed since this link's first round. */
  take(reads: readonly NameRead[], at: { readonly nowMs: number; readonly live: boolean }): void;
  /** These names could not be read. They are shown as unknown until they can. */
  missed(names: readonly string[], nowMs: number): void;
  /** Takes in a look for listeners. `null`: Redis does not permit the question. */
  hear(look: Look | null, nowMs: number): void;
  /** Signalbox has woken the waiters. The next reading shows it, so that a full view cannot fail a finished action. */
  woken(name: string, nowMs: number): void;
  /** Signalbox has removed a holder. The next reading shows it, as above. */
  took(taken: Taken): void;
  /** True when everything due since this link began has been read. */
  readonly settled: boolean;
  /** Another link has begun. */
  reopened(): void;
  /** Forgets every name and its row. The next link finds them again. */
  forgetAll(): void;
}

export function createNamesKnown({
  settings,
  source,
  shelf,
  isTold,
}: {
  readonly settings: RedisSettings;
  readonly source: SourceId;
  readonly shelf: Shelf;
  /** False when every name must be polled. */
  readonly isTold: () => boolean;
}): NamesKnown {
  const known = new Map<string, Known>();
  /** The way to read a name, where it differs from the first guess. */
  const as = new Map<string, ReadAs>();
  const others = createOthers(othersMax);
  const agenda = createAgenda();
  /** The last attempt to read a name, epoch milliseconds. */
  const triedMs = new Map<string, number>();
  const limits = new Map(settings.semaphores.map(({ name, limit }) => [name, limit]));
  let latest: Look | null = null;
  /** Names with a push since their last reading. */
  const pushed = new Set<string>();
  /** Names to read before this link has read everything. */
  const pending = new Set<string>();
  /** Unknown names of which a glimpse was not enough. */
  const wide = new Set<string>();
  let round = 0;

  const inView = (name: string) => inPrefixes(settings, name);
  const isRedlock = (name: string) => settings.redlock.some((prefix) => name.startsWith(prefix));
  function hintsOf({ name, type }: NameRead): Told {
    // The listeners for a name without a key may be those of another database.
    const isOthers = latest?.shared === true && type === 'none';
    return {
      redlock: isRedlock(name),
      semaphore: limits.has(name),
      heard: isOthers ? null : (latest?.awaited.get(name) ?? null),
    };
  }

  const beside = createBeside(inView);

  const twin = (name: string): Known | undefined => known.get(twinOf(name) ?? '');
  /** True when companions or listeners of the name belong to its twin, which is there. */
  const isTwins = (name: string) => !known.has(name) && twin(name) !== undefined;
  /** True when the name's own key was never seen, so that its traces may be its twin's. */
  const isGuess = ({ memory }: Known) => memory.read.type === 'none' && memory.heldMs === null;

  const asOf = (name: string): ReadAs =>
    as.get(name) ?? (limits.has(name) || isRedlock(name) ? 'number' : 'lock');

  const queryOf = (name: string): Asked => ({
    name,
    as: asOf(name),
    queue: beside.hasQueue(name),
    token: beside.hasToken(name),
    wide: known.has(name) || wide.has(name),
  });

  function soon(name: string, nowMs: number): void {
    const otherMs = others.readMs(name);
    const restedMs = otherMs === undefined ? 0 : otherMs + otherRestMs;
    agenda.at(name, Math.max(nowMs, restedMs, (triedMs.get(name) ?? 0) + restMs));
  }

  function forget(name: string): void {
    known.delete(name);
    as.delete(name);
    beside.forget(name);
    triedMs.delete(name);
    shelf.put(name, null);
  }

  function show(name: string, { memory, audience, isUnread }: Known): void {
    const row = rowOf({ source, memory, audience, limit: limits.get(name) ?? null });
    shelf.put(name, isUnread ? unreadRow(row) : row);
  }

  /**
   * True when the name is free without waiters, and was not held recently. With more than `freeMax` names, any free
   * name is over.
   */
  function isOver({ memory, audience }: Known, nowMs: number): boolean {
    const { read, holds, heldMs } = memory;
    if (read.type !== 'none' || holds.size > 0 || read.queue.length > 0 || limits.has(read.name))
      return false;
    if ((audience?.clients ?? 0) > 0) return false;
    return heldMs === null || nowMs - heldMs > freeMs || known.size > freeMax;
  }

  function plan(name: string, { memory }: Known, nowMs: number): void {
    const every = isTold() ? againMs : Math.max(pollMs, known.size * pollEachMs);
    let next = nowMs + every;
    for (const hold of memory.holds.values()) next = Math.min(next, nextLookMs(hold) ?? next);
    next = Math.min(next, memory.sleep.unwoken?.untilMs ?? next);
    agenda.at(name, Math.max(next, nowMs + restMs));
  }

  function none(name: string, nowMs: number): void {
    forget(name);
    others.add(name, nowMs);
  }

  function takeOne(read: NameRead, nowMs: number, live: boolean): void {
    const { name } = read;
    triedMs.set(name, nowMs);
    const before = known.get(name) ?? null;
    const isOfOtherKind = asOf(name) === 'lock' ? read.type === 'other' : read.type === 'hash';
    if (isOfOtherKind) {
      as.set(name, asOf(name) === 'lock' ? 'number' : 'lock');
      agenda.at(name, nowMs);
      return;
    }
    const isGlimpse = read.cut && read.type === 'hash' && before === null && !wide.has(name);
    if (isGlimpse && mayBeOurs(read.fields)) {
      wide.add(name);
      agenda.at(name, nowMs);
      return;
    }
    wide.delete(name);
    pending.delete(name);
    const fresh = live && (before === null ? pushed.has(name) : before.round === round);
    pushed.delete(name);
    const wokenMs = before?.wokenMs ?? null;
    const isTold = wokenMs !== null && wokenMs >= (before?.memory.read.atMs ?? 0);
    const memory = remember(before?.memory ?? null, read, { told: hintsOf(read), fresh, isTold });
    if (memory === null) {
      if (read.type === 'none') forget(name);
      else none(name, nowMs);
      return;
    }
    others.delete(name);
    const bare = { memory, audience: before?.audience ?? null, round, wokenMs, isUnread: false };
    const audience = bare.audience ?? audienceOf(bare, latest, { waiters: false, nowMs });
    const next = { ...bare, audience };
    // Braces in a name are rare, so without its key its twin is the likely one.
    const isOfTwin =
      isGuess(next) && !limits.has(name) && (name.includes('{') ? twinOf(name) !== null : isTwins(name));
    if (isOver(next, nowMs) || isOfTwin) {
      forget(name);
      return;
    }
    known.set(name, next);
    const other = twin(name);
    if (other !== undefined && isGuess(other) && !limits.has(other.memory.read.name) && !isGuess(next))
      forget(other.memory.read.name);
    show(name, next);
    plan(name, next, nowMs);
  }

  return {
    remembered: (name) => known.get(name) ?? null,
    get isShared() {
      return latest?.shared === true;
    },
    heard: (key, nowMs) => {
      for (const { name, beside: place } of beside.notice(key)) {
        if (place !== null && isTwins(name)) continue;
        pushed.add(name);
        // A companion may just have made a semaphore of a number.
        if (place !== null) others.delete(name);
        soon(name, nowMs);
      }
    },
    found: (keys, nowMs) => {
      for (const { name, beside: place } of keys.flatMap(beside.notice)) {
        const isSettled = known.has(name) || (isTold() && others.met(name));
        if ((isSettled && place !== 'new') || (place !== null && isTwins(name))) continue;
        pending.add(name);
        soon(name, nowMs);
      }
    },
    all: (nowMs) => {
      for (const name of [...known.keys(), ...limits.keys()]) {
        pending.add(name);
        agenda.at(name, nowMs);
      }
    },
    due: (nowMs, max) => agenda.take(nowMs, max).map(queryOf),
    nextMs: () => agenda.nextMs(),
    take: (reads, { nowMs, live }) => {
      for (const read of reads) takeOne(read, nowMs, live);
    },
    missed: (names, nowMs) => {
      for (const name of names) {
        triedMs.set(name, nowMs);
        pending.delete(name);
        // What happens meanwhile is missed.
        pushed.delete(name);
        const before = known.get(name);
        if (before !== undefined) {
          const after = { ...before, isUnread: true, round: 0 };
          known.set(name, after);
          show(name, after);
        }
        agenda.at(name, nowMs + movingMs);
      }
    },
    hear: (look, nowMs) => {
      latest = look;
      for (const [name, kind] of look?.awaited ?? []) {
        const isKnown = known.has(name);
        if (isKnown || isTwins(name) || !inView(name)) continue;
        if (look?.shared === true && others.readMs(name) === undefined) continue;
        if (kind === 'semaphore' || kind === 'latch') as.set(name, 'number');
        others.delete(name);
        soon(name, nowMs);
      }
      for (const [name, before] of known) {
        if (saysTheSame(before, look)) continue;
        const sleep = sleepAfterLook(before.memory, look);
        const after = {
          ...before,
          memory: sleep === before.memory.sleep ? before.memory : { ...before.memory, sleep },
          audience: audienceOf(before, look, { waiters: true, nowMs }),
        };
        known.set(name, after);
        // The key may be on the other server.
        if (!after.isUnread && isOver(after, nowMs)) forget(name);
        else show(name, after);
      }
    },
    woken: (name, nowMs) => {
      const before = known.get(name);
      if (before === undefined) return;
      known.set(name, { ...before, memory: { ...before.memory, sleep: noSleep }, wokenMs: nowMs });
      soon(name, nowMs);
    },
    took: (taken) => {
      for (const [name, before] of known) {
        const memory = afterTaken(before.memory, taken);
        if (memory === before.memory) continue;
        known.set(name, { ...before, memory });
        soon(name, taken.atMs);
      }
    },
    get settled() {
      return pending.size === 0;
    },
    reopened: () => {
      round += 1;
      pushed.clear();
      pending.clear();
      others.clear();
      wide.clear();
      triedMs.clear();
    },
    forgetAll: () => {
      for (const name of [...known.keys()]) forget(name);
    },
  };
}
