/** Events as bytes. All viewers with one filter and one version share them. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { build } from '@/lib/domain/build';
import type { Problem } from '@/lib/domain/problem';
import { finish, runInSlices, type Steps } from '@/lib/domain/sliced-work';
import { type Patch, rowsIn, type WorldStep } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { spokenProblem } from '@/lib/server/http/english';
import { type Filter, filterPatch, filterSnapshot } from '@/lib/server/live/filter';
import type { Hub } from '@/lib/server/live/hub';
import { writingJson } from '@/lib/server/process/json';
import { type Encoding, encode, type InBoth, inBoth, inBothFirst } from './encoding';
import { headOf, jsonOf, wholeSnapshot } from './shared-answer';

/** Rows of a snapshot that each event writes itself; a larger snapshot shares its text with the answers of the API. */
const atOnceMax = 500;
/** The time that a browser waits before it reconnects. */
const retryMs = 1_000;

const writingEvent = (name: string, id: string | null, data: object): Steps<Buffer> =>
  writingJson(data, `event: ${name}\n${id === null ? '' : `id: ${id}\n`}data: `, '\n\n');

const event = (name: string, data: object) => finish(writingEvent(name, null, data));

function largeEvent(name: string, id: string, data: object, encoding: Encoding): Bytes {
  const bytes = runInSlices(writingEvent(name, id, data), yieldToEventLoop);
  return bytes instanceof Promise
    ? bytes.then((buffer) => encode(buffer, encoding))
    : encode(bytes, encoding);
}

/** Age of a ping that serves all viewers. Its time is late by this much, which a page expects. */
const pingFreshMs = 250;
const pings = (before: string) => {
  let madeMs = Number.NEGATIVE_INFINITY;
  let madeContactMs: number | null = null;
  let cached: InBoth;
  return (atMs: number, contactMs: number | null): InBoth => {
    if (Math.abs(atMs - madeMs) < pingFreshMs && contactMs === madeContactMs) return cached;
    const data = { build, atMs, contactMs };
    cached = inBoth(Buffer.concat([Buffer.from(before), event('ping', data)]));
    [madeMs, madeContactMs] = [atMs, contactMs];
    return cached;
  };
};

export interface Pings {
  /**
   * Contains this server's build for pages of another build, its time for browsers with another clock, and the
   * backend's last answer. Until that instant the page is confirmed.
   */
  readonly ping: (atMs: number, contactMs: number | null) => InBoth;
  /** The ping with a comment, which passes proxies that drop unknown events and end a connection that seems idle. */
  readonly withComment: (atMs: number, contactMs: number | null) => InBoth;
}
export const createPings = (): Pings => ({ ping: pings(''), withComment: pings(': still here\n\n') });
/** The first bytes of a stream. */
export const retryLine: InBoth = inBothFirst(Buffer.from(`retry: ${retryMs}\n\n`));
/** The last bytes of a stream whose reader must come back at once, with what the browser has as a cookie by then. */
export const againEvent: InBoth = inBoth(event('again', {}));
export const signedOutEvent = (problem: Problem): InBoth =>
  inBoth(event('signed-out', spokenProblem(problem)));

/** A filter, an encoding, and a name that equal views share. */
export interface View {
  readonly filter: Filter | null;
  readonly encoding: Encoding;
  readonly name: string;
}

export const viewOf = (filter: Filter | null, encoding: Encoding): View => ({
  filter,
  encoding,
  name: filter === null ? encoding : JSON.stringify([encoding, filter]),
});

/** The bytes of an event, or a promise of a large one, compressed on another thread. */
export type Bytes = Uint8Array | Promise<Uint8Array>;

export interface Events {
  snapshot(snapshot: Snapshot, view: View): Bytes;
  /** The patch for a viewer that has `version`; `null` when nothing in the step concerns it. */
  patch(step: WorldStep, view: View, version: number): Bytes | null;
}

/**
 * Bytes kept of one snapshot or step, beside its first event. Viewers choose their filters freely, and a snapshot lives
 * for hours during an outage.
 */
const keptBytesMax = 16 * 1024 * 1024;
/**
 * Steps whose events are kept. Viewers need them within a moment, and a late viewer's are made again. The hub's
 * hundreds of steps would stay in memory for each view.
 */
const keptStepsMax = 16;

interface Made {
  readonly of: Map<string, Bytes | null>;
  bytes: number;
}

/** The events for all viewers of one hub, over all credentials. */
export interface Telling {
  readonly events: Events;
  readonly pings: Pings;
}
const tellings = new WeakMap<object, Telling>();
export function tellingOf({ base }: Pick<Hub, 'base'>): Telling {
  const known = tellings.get(base);
  if (known !== undefined) return known;
  const telling = { events: createEvents(base), pings: createPings() };
  tellings.set(base, telling);
  return telling;
}

export function createEvents(hub: Pick<Hub, 'instance' | 'snapshot' | 'apart'>): Events {
  const known = new WeakMap<object, Made>();
  /** Steps in the order of their first events. */
  const steps: WorldStep[] = [];
  const once = <B extends Bytes | null>(of: object, name: string, make: () => B): B => {
    const cache = known.get(of) ?? { of: new Map(), bytes: 0 };
    known.set(of, cache);
    const bytes = cache.of.get(name);
    if (bytes !== undefined) return bytes as B;
    const fresh = make();
    const first = cache.of.size === 0;
    const store = (encoded: Uint8Array | null) => {
      const size = 2 * name.length + (encoded?.length ?? 0);
      if (!first && cache.bytes + size > keptBytesMax) return void cache.of.delete(name);
      if (!first) cache.bytes += size;
      cache.of.set(name, encoded);
    };
    if (fresh instanceof Promise) {
      // Later callers share this promise. After a failure the next caller starts again.
      cache.of.set(name, fresh);
      fresh.then(store, () => cache.of.delete(name));
    } else store(fresh);
    return fresh;
  };
  return {
    snapshot: (snapshot, { filter, encoding, name }) =>
      once(snapshot, name, (): Bytes => {
        const id = `${hub.instance}-${snapshot.version}`;
        const part = filterSnapshot(snapshot, filter);
        if (filter !== null || part.locks.length + part.semaphores.length + part.sessions.length <= atOnceMax)
          return largeEvent('snapshot', id, part, encoding);
        const json = jsonOf(headOf(part), wholeSnapshot.rows(hub, part));
        return json.then((data) =>
          encode(
            Buffer.concat([Buffer.from(`event: snapshot\nid: ${id}\ndata: `), data, Buffer.from('\n\n')]),
            encoding,
          ),
        );
      }),
    patch: (step, { filter, encoding, name }, version) => {
      if (!known.has(step) && steps.push(step) > keptStepsMax) known.delete(steps.shift() as WorldStep);
      return once(step, `${version} ${name}`, () => {
        const part = filterPatch(step, filter, hub.snapshot());
        if (part === null) return null;
        // The viewer did not get the filtered steps in between, so this patch starts at the viewer's version.
        const joined: Patch = part.from === version ? part : { ...part, from: version };
        const name = rowsIn(joined) === 0 ? 'status' : 'patch';
        return largeEvent(name, `${hub.instance}-${joined.to}`, joined, encoding);
      });
    },
  };
}
