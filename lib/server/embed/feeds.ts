/**
 * What embeds follow: the server's own world, cut down to a scope, as a hub of its own with its own numbers, so that not
 * even a version tells how busy the rest is. All embeds of one scope share one; it ends when nobody has looked for a
 * while.
 */
import { AsyncResource } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { same } from '@/lib/domain/change';
import type { Finding } from '@/lib/domain/finding';
import { type Scope, scopeName } from '@/lib/domain/grant';
import type { World } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import type { ProviderListener } from '@/lib/domain/provider';
import { createHub, type Hub } from '@/lib/server/hub';
import { createPlaces } from '@/lib/server/stream/places';
import { createStreams, type Streams } from '@/lib/server/stream/sse';
import { createCut, cutSource } from './cut';

export interface EmbedFeed {
  readonly hub: Hub;
  readonly streams: Streams;
}

export interface EmbedFeeds {
  /** Streams that are open, over all scopes. */
  readonly count: number;
  /** They are as many as are allowed. */
  readonly full: boolean;
  /** Throws `busy` when as many scopes as are allowed are in use. */
  of(scope: Scope): EmbedFeed;
  close(): Promise<void>;
}

export interface EmbedFeedsOptions {
  /** With the server's own credential. */
  readonly hub: Hub;
  readonly now: () => number;
  /** Findings of one world after another, for each scope its own. */
  readonly createFindings: () => (world: World) => readonly Finding[];
  readonly onBug: (error: unknown) => void;
}

/** Scopes that are followed at a time: each costs a walk over the world for every change. */
const feedsMax = 128;
/** Streams at a time, whatever grants they come by. */
const streamsMax = 1_000;
const idleMs = 60_000;
const sweepMs = 5_000;
/** A reader notices no more than this; a busy world changes far more often. */
const tellMs = 200;

interface Kept extends EmbedFeed {
  usedAtMs: number;
}

const sameRows = (before: readonly unknown[], after: readonly unknown[]) =>
  before.length === after.length && before.every((row, i) => same(row, after[i]));
const sameWorld = (before: World, after: World) =>
  sameRows(before.locks, after.locks) &&
  sameRows(before.semaphores, after.semaphores) &&
  sameRows(before.sessions, after.sessions);

/**
 * Tells `listener` the cut world now and after every change of it, at most every `tellMs`. Resolves when it is over. `cut`:
 * `null` where nothing of it has changed; then not even the time is told, by which writes elsewhere could be counted.
 */
function follow(
  hub: Hub,
  {
    listener,
    cut,
    signal,
  }: { listener: ProviderListener; cut: (world: World) => World | null; signal: AbortSignal },
): Promise<void> {
  return new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const tell = () => {
      timer = null;
      // Not its findings, which would be made for that: those of the part are others.
      const { source, asOfMs, locks, semaphores, sessions } = hub.snapshot();
      listener.source(cutSource(source));
      // Before the first read there is nothing in the world, which is not the same as an empty one.
      const part = hub.read ? cut({ locks, semaphores, sessions }) : null;
      if (part !== null) listener.world(part, asOfMs);
    };
    const soon = (ms = tellMs) => {
      timer ??= setTimeout(tell, ms);
    };
    const end = () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      leave();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const { leave } = hub.subscribe({ step: () => soon(), closed: end }, null);
    signal.addEventListener('abort', end, { once: true });
    soon(0);
  });
}

export function createEmbedFeeds({ hub, now, createFindings, onBug }: EmbedFeedsOptions): EmbedFeeds {
  const kept = new Map<string, Kept>();
  const ending = new Set<Promise<void>>();
  const places = createPlaces();

  // It outlives the request that comes first, and would keep that one, with the secret of its address.
  const make = AsyncResource.bind((scope: Scope): Kept => {
    const cut = createCut(scope);
    const findingsOf = createFindings();
    let judged: World | null = null;
    let raw: readonly Finding[] = [];
    let findings: readonly Finding[] = [];
    const own = createHub({
      provider: {
        id: hub.snapshot().source.provider,
        watch: (listener, signal) =>
          follow(hub, {
            listener,
            signal,
            cut: (world) => {
              const parts = cut.world(world);
              const stays = judged !== null && sameWorld(judged, parts.judged);
              if (!stays) raw = findingsOf(parts.judged);
              // Those that the console shows, as severe as there; which they are changes by the time alone too.
              const found = cut.findings(
                parts.judged,
                raw.flatMap((one) => hub.shownOf(one) ?? []),
              );
              if (stays && sameRows(findings, found)) return null;
              judged = parts.judged;
              findings = found;
              return parts.shown;
            },
          }),
      },
      now,
      instance: randomBytes(6).toString('hex'),
      findingsOf: () => findings,
      contactMs: () => hub.contactMs,
      onBug,
    });
    return {
      hub: own,
      streams: createStreams({ hub: own, max: streamsMax, onBug, places }),
      usedAtMs: now(),
    };
  });
  const end = async ({ streams, hub: own }: EmbedFeed) => {
    streams.close();
    await own.close();
  };
  const timer = setInterval(() => {
    for (const [name, one] of kept) {
      // A clock that was set back must not keep scopes in use until it has caught up.
      if (one.hub.viewers > 0 || one.usedAtMs > now()) one.usedAtMs = now();
      if (now() - one.usedAtMs < idleMs) continue;
      kept.delete(name);
      const ended = end(one).catch(onBug);
      ending.add(ended);
      void ended.finally(() => ending.delete(ended));
    }
  }, sweepMs);
  timer.unref();

  const count = () => [...kept.values()].reduce((sum, { streams }) => sum + streams.count, 0);

  return {
    get count() {
      return count();
    },
    get full() {
      return count() >= streamsMax;
    },
    of: (scope) => {
      const name = JSON.stringify([scope.view, scopeName(scope), scope.values, scope.sessions]);
      const known = kept.get(name);
      if (known !== undefined) {
        known.usedAtMs = now();
        return known;
      }
      if (kept.size >= feedsMax)
        throw new ProblemError({ code: 'busy', why: { code: 'too-many-pages', facts: {} } });
      const made = make(scope);
      kept.set(name, made);
      return made;
    },
    close: async () => {
      clearInterval(timer);
      await Promise.all([...ending, ...[...kept.values()].map(end)]);
      kept.clear();
    },
  };
}
