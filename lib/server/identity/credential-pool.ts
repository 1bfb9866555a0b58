/**
 * One viewpoint for one credential: a provider that reads and writes with it, and the hub and streams that everybody
 * with this credential shares. So the backend decides what each person sees. Credentials that the backend shows the same
 * share what makes their pages (`joined-hub.ts`), so that the load grows with different rights, not with people or tabs. The server's own lives as long as the server. The others:
 *
 *   open --nobody looks or asks for `idleMs`, or another credential needs the room--> ended
 *     '--the backend does not know the credential any more--> every viewer is told, ended
 *
 * One with an action under way is not ended for want of viewers. Nor is one cut whose credential is gone: nobody gets that
 * viewpoint any more, but whoever had begun is to learn what came of it. Under way is what the provider was asked: while its
 * intent is still being written an action is not, and a credential that is gone by then has its provider closed first. The
 * provider then answers `unavailable`, and nothing is written to the backend. Only the end of the server does not wait here; it
 * has waited before (`ending.ts`).
 */
import { AsyncResource } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Finding } from '@/lib/domain/findings/finding';
import type { World } from '@/lib/domain/model';
import { type Problem, ProblemError } from '@/lib/domain/problem';
import type { FindingMoved } from '@/lib/domain/rules/table';
import type { Backend } from '@/lib/domain/seam/backend';
import type { Provider } from '@/lib/domain/seam/provider';
import type { Source } from '@/lib/domain/source';
import type { Steps } from '@/lib/domain/steps';
import { createHub, type Hub, type HubOptions } from '@/lib/server/live/hub';
import { createJoinedHub, createSharedHubs } from '@/lib/server/live/joined-hub';
import { createProbes, type Probes } from '@/lib/server/live/probe';
import { createPlaces, type Places } from '@/lib/server/stream/places';
import { createStreams, type Streams } from '@/lib/server/stream/sse';
import { credentialName } from './credentials';

export interface Viewpoint {
  readonly provider: Provider;
  readonly hub: Hub;
  readonly streams: Streams;
  readonly probes: Probes;
}

export interface Viewpoints {
  /** With the server's own credential. */
  readonly own: Viewpoint;
  /** All that are open now, the server's own first. */
  readonly open: readonly Viewpoint[];
  /** The viewpoint of this secret. `from`: the network of who asks. Throws `busy` when as many as the backend bears are in use. */
  of(secret: string, from?: string): Viewpoint;
  close(): Promise<void>;
}

export interface ViewpointsOptions {
  readonly backend: Backend;
  readonly now: () => number;
  /** All findings of a world. */
  readonly findingsOf: (world: World) => readonly Finding[];
  /** What becomes of them from one world to the next, for each viewpoint its own. */
  readonly createFindingChanges: () => (world: World) => Steps<readonly FindingMoved[]>;
  /** Most streams of each viewpoint. */
  readonly streamsMax: number;
  /** Of all viewpoints together. */
  readonly streamsTotalMax?: number;
  /** The share of each caller, over all viewpoints. */
  readonly places?: Places;
  /** How long a viewpoint stays without a viewer or a request. */
  readonly idleMs?: number;
  /** How fresh the server's own world is. */
  readonly onSource: (source: Source) => void;
  /** The backend does not know a credential any more. `name`: of `credentialName`. */
  readonly onSignedOut: (name: string) => void;
  readonly onBug: (error: unknown) => void;
}

/** One of two replicas that share 5,000 viewers carries all of them when the other is gone (docs/decisions/0029). */
const streamsTotalMaxDefault = 6_000;
const idleMsDefault = 60_000;
const sweepMs = 5_000;
/** Whoever asked a moment ago may be between two pages: theirs is not ended to make room. Longer, who has left keeps others out. */
const roomMs = 3_000;

interface PooledViewpoint extends Viewpoint {
  usedAtMs: number;
  /** The network of the first person who came by it; links that are shown with its rights come from none. */
  from: string | undefined;
  /** Calls to the provider that are under way. */
  busy(): number;
  /** Resolves when none is, at once or later. One that comes after that finds the provider closed. */
  idle(): Promise<void>;
}

/** The provider, and how many calls to it are under way. */
function counted(provider: Provider): Pick<PooledViewpoint, 'provider' | 'busy' | 'idle'> {
  let under = 0;
  const waiting: (() => void)[] = [];
  const count =
    <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      under += 1;
      try {
        return await call(...args);
      } finally {
        under -= 1;
        if (under === 0) for (const tell of waiting.splice(0)) tell();
      }
    };
  const { probe, rights, readable, seesSessions } = provider;
  return {
    provider: {
      ...provider,
      plan: count(provider.plan),
      apply: count(provider.apply),
      ...(probe === undefined ? {} : { probe: count(probe) }),
      ...(rights === undefined ? {} : { rights: count(rights) }),
      ...(readable === undefined ? {} : { readable: count(readable) }),
      ...(seesSessions === undefined ? {} : { seesSessions: count(seesSessions) }),
    },
    busy: () => under,
    idle: () => new Promise((resolve) => (under === 0 ? resolve() : waiting.push(resolve))),
  };
}

export function createViewpoints(options: ViewpointsOptions): Viewpoints {
  const { backend, now, findingsOf, createFindingChanges, streamsMax, idleMs = idleMsDefault } = options;
  const { streamsTotalMax = streamsTotalMaxDefault, places = createPlaces() } = options;
  const { onSource, onSignedOut, onBug } = options;
  /** By the credential's name. */
  const kept = new Map<string, PooledViewpoint>();
  const ending = new Set<Promise<void>>();

  const isFull = () =>
    [own, ...kept.values()].reduce((sum, { streams }) => sum + streams.count, 0) >= streamsTotalMax;
  const hubOf = (provider: HubOptions['provider'], onSource?: (source: Source) => void) =>
    createHub({
      provider,
      now,
      instance: randomBytes(6).toString('hex'),
      findingsOf,
      findingChanges: createFindingChanges(),
      onBug,
      ...(onSource === undefined ? {} : { onSource }),
    });
  const shared = createSharedHubs({ make: (watch) => hubOf(watch), onBug });
  const make = (
    secret: string | null,
    onRefused: (problem: Problem) => void,
    from?: string,
  ): PooledViewpoint => {
    const { provider, busy, idle } = counted(backend.provider(secret, () => made.from ?? ''));
    const told = (source: Source) => {
      if (source.problem?.code === 'signed-out') onRefused(source.problem);
    };
    const hub =
      secret === null
        ? hubOf(provider, onSource)
        : createJoinedHub({ provider, shared, now, alone: (alone) => hubOf(alone, told) });
    const made: PooledViewpoint = {
      provider,
      hub,
      streams: createStreams({ hub, max: streamsMax, onBug, isFull, places }),
      probes: createProbes({ provider, now }),
      usedAtMs: now(),
      from,
      busy,
      idle,
    };
    return made;
  };
  let closing = () => {};
  const closes = new Promise<void>((resolve) => {
    closing = resolve;
  });
  const end = async ({ streams, hub, provider }: Viewpoint, until = closes) => {
    streams.close();
    await hub.close();
    await until;
    provider.close();
  };
  /** Nobody gets it any more; it ends when what was begun with it has. */
  const drop = (name: string, one: PooledViewpoint) => {
    if (kept.get(name) === one) kept.delete(name);
    const ended = end(one, Promise.race([one.idle(), closes])).catch(onBug);
    ending.add(ended);
    void ended.finally(() => ending.delete(ended));
  };
  const own = make(null, () => {});
  const restsFor = (one: PooledViewpoint, ms: number) => {
    // A clock that was set back must not keep viewpoints in use until it has caught up: there is room for few.
    if (one.hub.viewers > 0 || one.busy() > 0 || one.usedAtMs > now()) one.usedAtMs = now();
    return now() - one.usedAtMs >= ms;
  };
  const sweep = () => {
    for (const [name, one] of kept) if (restsFor(one, idleMs)) drop(name, one);
  };
  const makeRoom = (max: number) => {
    const resting = [...kept].filter(([, one]) => restsFor(one, roomMs));
    const [oldest] = resting.sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs);
    if (oldest === undefined)
      throw new ProblemError({ code: 'busy', why: { code: 'too-many-people', facts: { max } } });
    drop(...oldest);
  };
  const timer = setInterval(sweep, sweepMs);
  timer.unref();

  // It outlives the request that comes first, and would keep all that is kept with that one, the cookies and the page.
  const open = AsyncResource.bind((secret: string, name: string, from?: string): PooledViewpoint => {
    const max = backend.credentialsMax - 1;
    if (kept.size >= max) makeRoom(max);
    const made = make(
      secret,
      (problem) => {
        if (kept.get(name) !== made) return;
        kept.delete(name);
        onSignedOut(name);
        made.streams.end(problem);
        // The watch that tells this is not ended from within its own call.
        setImmediate(() => drop(name, made));
      },
      from,
    );
    kept.set(name, made);
    return made;
  });

  return {
    own,
    get open() {
      return [own, ...kept.values()];
    },
    of: (secret, from) => {
      const name = credentialName(secret);
      const one = kept.get(name) ?? open(secret, name, from);
      one.usedAtMs = now();
      one.from ??= from;
      return one;
    },
    close: async () => {
      clearInterval(timer);
      closing();
      await Promise.all([...[own, ...kept.values()].map((one) => end(one)), ...ending]);
      await shared.close();
      kept.clear();
    },
  };
}
