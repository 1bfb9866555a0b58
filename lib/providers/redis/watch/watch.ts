/** Follows one Redis through every outage. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Lock, World } from '@/lib/domain/model';
import { createBackoff } from '@/lib/domain/pace/backoff';
import { createNudge } from '@/lib/domain/pace/nudge';
import { type Problem, ProblemError } from '@/lib/domain/problem';
import type { ProviderListener } from '@/lib/domain/seam/provider';
import { type SourceState, unreadSource } from '@/lib/domain/source-state';
import { type Link, openLink } from '@/lib/providers/redis/client/link';
import { createSeeds } from '@/lib/providers/redis/client/masters';
import { originOf, type RedisSettings } from '@/lib/providers/redis/client/settings';
import { type Followed, followChanges, trackedPrefixes } from './changes';
import { createDiscovery } from './discovery';
import { createNamesKnown, type Remembered } from './names-known';
import { createShelf } from './shelf';
import { runStretch } from './stretch';

export interface WatchOptions {
  readonly settings: RedisSettings;
  readonly now: () => number;
  /** Most bytes of all rows together, roughly. */
  readonly bytesMax?: number;
  /** Receives the knowledge of the watch; `null`: the watch has ended. */
  readonly onSight?: (sight: Sight | null) => void;
}

/** The knowledge of a watch that actions use. */
export interface Sight {
  remembered(name: string): Remembered | null;
  /** True when some listeners may belong to another database. */
  isShared(): boolean;
  locks(): readonly Lock[];
  /** Signalbox has woken the waiters. */
  woken(name: string): void;
  /** Signalbox has removed this holder, by a script that it sent at `atMs`. */
  took(name: string, holder: string, atMs: number): void;
}

const bytesMaxDefault = 384 * 1024 * 1024;
/** The wait after `world-too-large`, which a further look seldom changes. */
const tooLargeMs = 30_000;
const contactMs = 1_000;
/** A clock that was set back further leaves every due time too far ahead. */
const setBackMs = 1_000;

/** Redis does not answer. With any other code, it answers with a refusal. */
const silent: ReadonlySet<string> = new Set(['not-reached', 'no-answer', 'connection-broke']);

const problemOf = (error: unknown): Problem => {
  if (error instanceof ProblemError) return error.problem;
  throw error;
};

/** Resolves when the signal aborts. */
export async function watchRedis(
  { settings, now, bytesMax = bytesMaxDefault, onSight }: WatchOptions,
  listener: ProviderListener,
  signal: AbortSignal,
): Promise<void> {
  const { id, title, prefixes, database } = settings;
  let source = unreadSource({ id, title, provider: 'redis', origin: originOf(settings) });
  const publishSource = (change: Partial<SourceState>) => {
    if (signal.aborted) return;
    source = { ...source, ...change };
    listener.source(source);
  };
  const seeds = createSeeds(settings);
  const nudge = createNudge();
  signal.addEventListener('abort', nudge.give, { once: true });
  const shelf = createShelf(bytesMax);
  const discovery = createDiscovery([...prefixes, ...settings.redlock]);
  let followed: Followed = 'polling';
  const names = createNamesKnown({
    settings,
    source: id,
    shelf,
    isTold: () => followed !== 'polling',
  });
  let latest: World | null = null;
  onSight?.({
    remembered: names.remembered,
    isShared: () => names.isShared,
    locks: () => latest?.locks ?? [],
    woken: (name) => {
      names.woken(name, now());
      nudge.give();
    },
    took: (name, holder, atMs) => {
      names.took({ name, holder, atMs });
      nudge.give();
    },
  });
  let goodMs: number | null = null;
  /** The latest answer by the clock of then, no earlier than any time that is known. */
  let latestMs = Number.NEGATIVE_INFINITY;
  const isSetBack = () => now() < latestMs - setBackMs;
  let shown = false;
  const backoff = createBackoff({ random: Math.random });
  /** False once this server refused client tracking. */
  let tracks = true;

  async function open(): Promise<Link> {
    const ours = (key: Buffer | null) => {
      if (key === null) names.all(now());
      else names.heard(key.toString('utf8'), now());
      nudge.give();
    };
    if (!tracks) return openLink({ settings, seeds, signal });
    try {
      return await openLink({ settings, seeds, signal, onChange: ours });
    } catch (error) {
      const { why } = problemOf(error);
      if (why?.code !== 'redis-not-permitted' && why?.code !== 'redis-refused') throw error;
      const link = await openLink({ settings, seeds, signal });
      tracks = false;
      return link;
    }
  }

  async function stretch(link: Link): Promise<void> {
    followed = await followChanges(link, {
      prefixes: trackedPrefixes([
        ...prefixes,
        ...settings.redlock,
        ...settings.semaphores.map((one) => one.name),
      ]),
      database,
      tracks,
      onKey: (key) => {
        names.heard(key, now());
        nudge.give();
      },
    });
    void link.broken.then(nudge.give);
    let publishedMs = Number.NEGATIVE_INFINITY;
    await runStretch({
      link,
      followed,
      names,
      shelf,
      discovery,
      database,
      now,
      isSetBack,
      signal,
      rest: nudge.given,
      onWhole: () => {
        shown = true;
        backoff.reset();
        publishSource({ state: 'live', lastContactMs: goodMs, staleSinceMs: null, problem: null });
      },
      onWorld: (world, asOfMs) => {
        latest = world;
        return signal.aborted ? undefined : listener.world(world, asOfMs);
      },
      onAnswer: (atMs) => {
        goodMs = atMs;
        latestMs = Math.max(latestMs, atMs);
        if (source.state !== 'live' || atMs - publishedMs < contactMs || signal.aborted) return;
        publishedMs = atMs;
        listener.contact?.(atMs);
      },
    });
  }

  /** The next link finds everything again, with times of the clock as it is now. */
  const forgetAhead = () => {
    if (!isSetBack()) return;
    names.forgetAll();
    latestMs = Number.NEGATIVE_INFINITY;
  };

  /** A link that just broke says little. The next attempt shows if Redis is down. */
  const outage = (problem: Problem, hadLink: boolean) => {
    const state = shown && (hadLink || !silent.has(problem.why?.code ?? '')) ? 'stale' : 'down';
    if (source.state === state && source.problem?.why?.code === problem.why?.code) return;
    publishSource({ state, lastContactMs: goodMs, staleSinceMs: goodMs, problem });
  };

  publishSource({});
  while (!signal.aborted) {
    let link: Link | null = null;
    let waitMs = 0;
    try {
      link = await open();
      if (source.state !== 'catching-up') publishSource({ state: 'catching-up', problem: null });
      forgetAhead();
      await stretch(link);
    } catch (error) {
      const problem = problemOf(error);
      if (!signal.aborted) outage(problem, link !== null && source.state === 'live');
      waitMs = problem.why?.code === 'world-too-large' ? tooLargeMs : backoff.next();
    } finally {
      forgetAhead();
      link?.close();
    }
    await pause(waitMs, undefined, { signal }).catch(() => {});
  }
  signal.removeEventListener('abort', nudge.give);
  onSight?.(null);
}
