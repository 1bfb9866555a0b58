/**
 * A feed is the world that the grant's maker may see now, cut to a scope; the server's own world where the backend asks
 * for no credentials. It is a hub with its own numbers, so that no version shows how busy the rest is. All embeds of
 * one scope and one maker share a feed, which ends once idle.
 */

import { AsyncResource } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Finding } from '@/lib/domain/findings/finding';
import type { World } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import type { ProviderListener } from '@/lib/domain/seam/provider';
import { type Scope, scopeName } from '@/lib/domain/sharing/grant';
import type { SourceState } from '@/lib/domain/source-state';
import { same } from '@/lib/domain/world/change';
import { wasRead } from '@/lib/domain/world/snapshot';
import { createHub, type Hub } from '@/lib/server/live/hub';
import type { OpenGrant } from '@/lib/server/sharing/grant-watch';
import { type Maker, narrow } from '@/lib/server/sharing/makers';
import { createStreams, type Streams } from '@/lib/server/stream/sse';
import { createPlaces } from '@/lib/server/stream/stream-quota';
import { type MakerRights, watchMakerRights } from './maker-rights';
import { createCut, cutSource, sourceOfScope } from './scope-cut';

export interface EmbedFeed {
  readonly hub: Hub;
  readonly streams: Streams;
}

export interface EmbedFeeds {
  readonly count: number;
  /** All streams are taken. */
  readonly full: boolean;
  /** Throws `busy` when this maker or the server has no feed left. */
  of(grant: Pick<OpenGrant, 'scope' | 'maker'>): EmbedFeed;
  close(): Promise<void>;
}

export interface EmbedFeedsOptions {
  readonly hub: Hub;
  readonly now: () => number;
  /** Each scope has its own instance. */
  readonly createFindings: () => (world: World) => readonly Finding[];
  readonly onBug: (error: unknown) => void;
}

/** Each feed costs a walk over the world for every change. */
const feedsMax = 128;
/** One person's links must not take every feed. */
export const feedsPerMakerMax = 64;
/** Over all grants. */
const streamsMax = 1_000;
const idleMs = 60_000;
const sweepMs = 5_000;
/** Readers notice no finer steps. */
const publishEveryMs = 200;

interface OpenFeed extends EmbedFeed {
  readonly makerName: string | null;
  usedAtMs: number;
}

const emptyWorld: World = { locks: [], semaphores: [], sessions: [] };
const isEmpty = ({ locks, semaphores }: World) => locks.length + semaphores.length === 0;

const sameRows = (before: readonly unknown[], after: readonly unknown[]) =>
  before.length === after.length && before.every((row, i) => same(row, after[i]));
const sameWorld = (before: World, after: World) =>
  sameRows(before.locks, after.locks) &&
  sameRows(before.semaphores, after.semaphores) &&
  sameRows(before.sessions, after.sessions);

interface FeedSource {
  readonly scope: Scope;
  readonly listener: ProviderListener;
  /**
   * `world`: `null` before the first read. Returns `null` when no part has changed. The time stays unsent then, as it
   * would let a reader count writes elsewhere.
   */
  readonly cut: (world: World | null, source: SourceState) => World | null;
  readonly cutSource: (source: SourceState) => SourceState;
  readonly signal: AbortSignal;
  readonly onBegin: (republish: () => void) => void;
}

/**
 * Publishes the cut world now and after every change, at most every `publishEveryMs`. Resolves on the signal or when
 * the hub closes.
 */
function follow(hub: Hub, { scope, listener, cut, cutSource, signal, onBegin }: FeedSource): Promise<void> {
  return new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const publish = () => {
      timer = null;
      // The snapshot's `findings` would be computed for nothing: the cut world has others.
      const { source: all, asOfMs, locks, semaphores, sessions } = hub.snapshot();
      const source = sourceOfScope(all, scope);
      // A world before its first read is unknown, not empty.
      const isRead = hub.read && (all.parts === undefined || wasRead(source));
      const part = cut(isRead ? { locks, semaphores, sessions } : null, source);
      listener.source(cutSource(source));
      if (part !== null) listener.world(part, asOfMs);
    };
    const schedule = (ms = publishEveryMs) => {
      timer ??= setTimeout(publish, ms);
    };
    const end = () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      leave();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const { leave } = hub.subscribe({ step: () => schedule(), turned: () => schedule(), closed: end }, null);
    signal.addEventListener('abort', end, { once: true });
    onBegin(() => schedule(0));
    schedule(0);
  });
}

/** The server's world is cut to the maker's rights; a world read only with the maker's token is not. */
const isCut = ({ sight }: SourceState) => sight !== 'own';

function sourceOf(source: SourceState, { reach }: MakerRights, judged: World | null): SourceState {
  const { sight: _, ...cut } = cutSource(source);
  if (!isCut(source)) return { ...cut, state: 'stale', problem: narrow, reach: 'part' };
  if (reach === 'all') return cut;
  // Where no rule covers the whole of a board, the maker may still read some of it.
  const isNone = reach === 'none' && (judged === null || isEmpty(judged));
  return { ...cut, reach: isNone ? 'none' : 'part' };
}

export function createEmbedFeeds({ hub, now, createFindings, onBug }: EmbedFeedsOptions): EmbedFeeds {
  const feeds = new Map<string, OpenFeed>();
  const ending = new Set<Promise<void>>();
  const places = createPlaces();

  // A feed outlives its first request, and must not keep it in memory with the secret in its address.
  const make = AsyncResource.bind((scope: Scope, maker: Maker | null, onOver: () => void): OpenFeed => {
    const viewpoint = maker?.viewpoint() ?? null;
    const base = viewpoint?.hub ?? hub;
    const cuts = { with: createCut(scope), without: createCut({ ...scope, sessions: false }) };
    const findingsOf = createFindings();
    let judged: World | null = null;
    let raw: readonly Finding[] = [];
    let findings: readonly Finding[] = [];
    /** `null` when readers know all of it already. */
    const cutWorld = (world: World, sessions: boolean): World | null => {
      const cut = sessions ? cuts.with : cuts.without;
      const parts = cut.world(world);
      const unchanged = judged !== null && sameWorld(judged, parts.judged);
      if (!unchanged) raw = findingsOf(parts.judged);
      // As the console shows them. Time alone changes both.
      const next = cut.findings(
        parts.judged,
        raw.flatMap((one) => base.shownOf(one) ?? []),
      );
      if (unchanged && sameRows(findings, next)) return null;
      judged = parts.judged;
      findings = next;
      return parts.shown;
    };
    /** The same with the rights of a maker. Rows that the maker may no longer read are dropped. */
    const cutWorldFor = (world: World | null, source: SourceState, rights: MakerRights): World | null => {
      // Until the rights are known, a missing row may be absent or hidden.
      if (judged === null && (world === null || rights.reach === 'unknown')) return null;
      const before = judged;
      const part = cutWorld(isCut(source) ? (world ?? emptyWorld) : emptyWorld, rights.sessions);
      if (before !== null && !isEmpty(before) && judged !== null && isEmpty(judged)) rights.doubt();
      return part;
    };
    const watch = async (listener: ProviderListener, signal: AbortSignal) => {
      let republishNow = () => {};
      const rights =
        viewpoint === null
          ? null
          : watchMakerRights({ provider: viewpoint.provider, scope, now, onChange: () => republishNow() });
      try {
        await follow(base, {
          scope,
          listener,
          signal,
          cut: (world, source) => {
            if (rights !== null) return cutWorldFor(world, source, rights);
            return world === null ? null : cutWorld(world, scope.sessions);
          },
          cutSource: (source) => (rights === null ? cutSource(source) : sourceOf(source, rights, judged)),
          onBegin: (republish) => {
            republishNow = republish;
          },
        });
      } finally {
        rights?.close();
      }
      if (!signal.aborted) onOver();
    };
    const own = createHub({
      provider: { id: hub.snapshot().source.provider, watch },
      now,
      instance: randomBytes(6).toString('hex'),
      findingsOf: () => findings,
      contactMs: () => base.contactMs,
      onBug,
    });
    return {
      hub: own,
      streams: createStreams({ hub: own, max: streamsMax, onBug, places }),
      makerName: maker?.name ?? null,
      usedAtMs: now(),
    };
  });
  const end = async ({ streams, hub: own }: EmbedFeed) => {
    streams.close();
    await own.close();
  };
  const remove = (name: string, one: OpenFeed) => {
    if (feeds.get(name) === one) feeds.delete(name);
    const ended = end(one).catch(onBug);
    ending.add(ended);
    void ended.finally(() => ending.delete(ended));
  };
  const timer = setInterval(() => {
    for (const [name, one] of feeds) {
      // A clock that was set back must not keep a feed open until it catches up.
      if (one.hub.viewers > 0 || one.usedAtMs > now()) one.usedAtMs = now();
      if (now() - one.usedAtMs < idleMs) continue;
      remove(name, one);
    }
  }, sweepMs);
  timer.unref();

  const count = () => [...feeds.values()].reduce((sum, { streams }) => sum + streams.count, 0);

  return {
    get count() {
      return count();
    },
    get full() {
      return count() >= streamsMax;
    },
    of: ({ scope, maker }) => {
      const { view, values, sessions } = scope;
      const name = JSON.stringify([
        scope.source,
        view,
        scopeName(scope),
        values,
        sessions,
        maker?.name ?? null,
      ]);
      const known = feeds.get(name);
      if (known !== undefined) {
        known.usedAtMs = now();
        return known;
      }
      const ownFeeds =
        maker === null ? [] : [...feeds.values()].filter(({ makerName }) => makerName === maker.name);
      if (feeds.size >= feedsMax || ownFeeds.length >= feedsPerMakerMax)
        throw new ProblemError({ code: 'busy', why: { code: 'too-many-pages', facts: {} } });
      const feed: OpenFeed = make(scope, maker, () => remove(name, feed));
      feeds.set(name, feed);
      return feed;
    },
    close: async () => {
      clearInterval(timer);
      await Promise.all([...ending, ...[...feeds.values()].map(end)]);
      feeds.clear();
    },
  };
}
