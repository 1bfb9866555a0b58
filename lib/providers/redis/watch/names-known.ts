/** Every name in view: what is remembered of it, and when it is looked at again. */
import type { SourceId } from '@/lib/domain/source';
import { twinOf } from '@/lib/providers/redis/client/names';
import type { Asked, NameRead, ReadAs } from '@/lib/providers/redis/client/reading';
import { inPrefixes, type RedisSettings } from '@/lib/providers/redis/client/settings';
import { formOf, type Told } from '@/lib/providers/redis/recognise/form';
import { nextLookMs } from '@/lib/providers/redis/recognise/lease';
import {
  type Audience,
  afterTaken,
  type Memory,
  remember,
  type Taken,
} from '@/lib/providers/redis/recognise/memory';
import { channelsOf } from '@/lib/providers/redis/recognise/party';
import { channelOf, rowOf } from '@/lib/providers/redis/recognise/rows';
import { noSleep, sleepHeard } from '@/lib/providers/redis/recognise/unwoken';
import { createAgenda } from './agenda';
import type { Look } from './audience';
import { createBeside } from './beside';
import { createOthers } from './others';
import type { Shelf } from './shelf';

/** Of one name, however often it changes. */
const restMs = 100;
/** Of a name that is none of ours: a counter may change a thousand times a second. */
const otherRestMs = 1_000;
/** Some 100 bytes each, twice: more keys of others than this are read again in each round. */
const othersMax = 200_000;
/** Also where nothing was pushed: pushes may get lost without a sign. */
const againMs = 60_000;
/** Where nothing is told; and for each name, so that many cost no more at a time. */
const pollMs = 1_000;
const pollEachMs = 0.2;
/** A lock that nobody holds has no key, and stays in view for so long. */
const freeMs = 10 * 60_000;
const freeMax = 5_000;

interface Known {
  readonly memory: Memory;
  readonly audience: Audience | null;
  /** By which link it was read last. */
  readonly round: number;
  /** When Signalbox last woke those who wait; `null`: never. */
  readonly wokenMs: number | null;
}

/** What is known of a name, for whoever reads it afresh. */
export type Remembered = Pick<Known, 'memory' | 'audience'>;

export interface NamesKnown {
  remembered(name: string): Remembered | null;
  /** A key was written, has ended, or is there. `pushed`: just now. */
  heard(key: string, nowMs: number): void;
  /** Keys of a page of `SCAN`: those that are not known yet. */
  found(keys: readonly string[], nowMs: number): void;
  /** All are read again. */
  all(nowMs: number): void;
  /** What to read now, at most so many. */
  due(nowMs: number, max: number): readonly Asked[];
  nextMs(): number;
  /** Takes in what was read. `live`: nothing was missed since this link's first round. */
  take(reads: readonly NameRead[], at: { readonly nowMs: number; readonly live: boolean }): void;
  /** Who listens. `null`: that may not be asked. */
  hear(look: Look | null, nowMs: number): void;
  /** Signalbox has woken those who wait. It shows with the next reading: a row without room must not fail an action that is done. */
  woken(name: string, nowMs: number): void;
  /** Signalbox has removed a holder. As above. */
  took(taken: Taken): void;
  /** Everything that was to be read since this link began has been. */
  readonly settled: boolean;
  /** Another link has begun. */
  reopened(): void;
}

/** Most names have no queue. */
const noneSilent: ReadonlyMap<string, null> = new Map();

/** How many listen on the name's own channel. */
function clientsOf(memory: Memory, look: Look): number {
  const channel = channelOf(memory);
  return channel === null ? 0 : (look.clients.get(channel) ?? 0);
}

/** Nothing of it shows another way than before. Waiters of a fair lock turn into ghosts by time. */
const saysTheSame = ({ memory, audience }: Known, look: Look | null): boolean =>
  look === null || audience === null
    ? look === audience
    : memory.read.queue.length === 0 &&
      memory.sleep.unwoken === null &&
      audience.silentSinceMs.size === 0 &&
      audience.clients === clientsOf(memory, look);

export function createNamesKnown({
  settings,
  source,
  shelf,
  isTold,
}: {
  readonly settings: RedisSettings;
  readonly source: SourceId;
  readonly shelf: Shelf;
  /** Whether changes are told; else every name is read again and again. */
  readonly isTold: () => boolean;
}): NamesKnown {
  const known = new Map<string, Known>();
  /** How a name is read, and when one that is none of ours was. */
  const as = new Map<string, ReadAs>();
  const others = createOthers(othersMax);
  const agenda = createAgenda();
  const readMs = new Map<string, number>();
  const limits = new Map(settings.semaphores.map(({ name, limit }) => [name, limit]));
  let latest: Look | null = null;
  /** Names of which a push has told since they were last read. */
  const pushed = new Set<string>();
  /** To be read before this link has read everything. */
  const pending = new Set<string>();
  /** Not known, and more of it is wanted than a glimpse. */
  const wide = new Set<string>();
  let round = 0;

  const inView = (name: string) => inPrefixes(settings, name);
  const isRedlock = (name: string) => settings.redlock.some((prefix) => name.startsWith(prefix));
  const hintsOf = (name: string): Told => ({
    redlock: isRedlock(name),
    semaphore: limits.has(name),
    heard: latest?.awaited.get(name) ?? null,
  });

  const beside = createBeside(inView);

  const twin = (name: string): Known | undefined => known.get(twinOf(name) ?? '');
  /** What stands beside a name, or listens, says nothing of this one while its twin is there. */
  const isTwins = (name: string) => !known.has(name) && twin(name) !== undefined;
  /** Its own key was never seen: all there is may be its twin's. */
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
    const rested = otherMs !== undefined ? otherMs + otherRestMs : (readMs.get(name) ?? 0) + restMs;
    agenda.at(name, Math.max(nowMs, rested));
  }

  function forget(name: string): void {
    known.delete(name);
    as.delete(name);
    beside.forget(name);
    readMs.delete(name);
    shelf.put(name, null);
  }

  function show(name: string, { memory, audience }: Known): void {
    shelf.put(name, rowOf({ source, memory, audience, limit: limits.get(name) ?? null }));
  }

  /** Free, and nobody waits: what is left is only that it was once held. */
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

  const isOurs = (read: NameRead) => formOf(read, { told: hintsOf(read.name), before: null }) !== null;

  /** `waiters`: whether this look came after they did, so that it says something of them. */
  function audienceOf(
    { memory, audience: before }: Known,
    look: Look | null,
    { waiters, nowMs }: { readonly waiters: boolean; readonly nowMs: number },
  ): Audience | null {
    if (look === null) return null;
    const queue = waiters ? channelsOf(memory) : [];
    if (queue.length === 0)
      return { clients: clientsOf(memory, look), silentSinceMs: noneSilent, atMs: nowMs };
    const silentSinceMs = new Map<string, number | null>();
    for (const [waiter, own] of queue) {
      const came = memory.arrivals.get(waiter) ?? nowMs;
      if (look.clients.has(own)) silentSinceMs.set(waiter, null);
      else if (look.proves(own) && came <= look.fromMs)
        silentSinceMs.set(waiter, before?.silentSinceMs.get(waiter) ?? nowMs);
    }
    return { clients: clientsOf(memory, look), silentSinceMs, atMs: nowMs };
  }

  function takeOne(read: NameRead, nowMs: number, live: boolean): void {
    const { name } = read;
    readMs.set(name, nowMs);
    const before = known.get(name) ?? null;
    const isOfOtherKind = asOf(name) === 'lock' ? read.type === 'other' : read.type === 'hash';
    if (isOfOtherKind) {
      as.set(name, asOf(name) === 'lock' ? 'number' : 'lock');
      agenda.at(name, nowMs);
      return;
    }
    const isGlimpse = read.cut && read.type === 'hash' && before === null && !wide.has(name);
    if (isGlimpse && (read.fields.length === 0 || isOurs(read))) {
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
    const memory = remember(before?.memory ?? null, read, { told: hintsOf(name), fresh, isTold });
    if (memory === null) {
      if (read.type === 'none') forget(name);
      else none(name, nowMs);
      return;
    }
    others.delete(name);
    const bare = { memory, audience: before?.audience ?? null, round, wokenMs };
    const audience = bare.audience ?? audienceOf(bare, latest, { waiters: false, nowMs });
    const next = { ...bare, audience };
    // A name with braces of its own is rare: without its key, it is not the one that is meant.
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
    heard: (key, nowMs) => {
      for (const { name, beside: place } of beside.notice(key)) {
        if (place !== null && isTwins(name)) continue;
        pushed.add(name);
        // What stands beside a number may have just made a semaphore of it.
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
    hear: (look, nowMs) => {
      latest = look;
      for (const [name, kind] of look?.awaited ?? []) {
        const isKnown = known.has(name);
        if (isKnown || isTwins(name) || !inView(name)) continue;
        if (kind === 'semaphore' || kind === 'latch') as.set(name, 'number');
        others.delete(name);
        soon(name, nowMs);
      }
      for (const [name, before] of known) {
        if (saysTheSame(before, look)) continue;
        const sleep =
          look === null
            ? before.memory.sleep
            : sleepHeard(before.memory.sleep, clientsOf(before.memory, look), look.fromMs);
        const after = {
          ...before,
          memory: sleep === before.memory.sleep ? before.memory : { ...before.memory, sleep },
          audience: audienceOf(before, look, { waiters: true, nowMs }),
        };
        known.set(name, after);
        if (isOver(after, nowMs)) forget(name);
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
    },
  };
}
