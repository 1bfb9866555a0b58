/**
 * One viewpoint for each credential: a provider that reads and writes with it, and a hub and streams for all who use
 * it. So the backend decides what each person sees. Credentials with the same view share a hub (`joined-hub.ts`), so
 * load grows with different rights, not with people. The server's own viewpoint lives as long as the server. The
 * others:
 *
 *   open --no viewer or request for `idleMs`, or another credential needs the room--> ended
 *     '--the backend no longer knows the credential--> every viewer gets `signed-out`, ended
 *
 * Calls in progress keep a viewpoint alive and run to their end, even with a forgotten credential: the caller must
 * learn the outcome. If a credential is forgotten while an action's intent is being written, the provider closes first
 * and answers `unavailable`. The shutdown has waited before (`shutdown.ts`).
 */
import { AsyncResource } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { Finding } from '@/lib/domain/findings/finding';
import type { World } from '@/lib/domain/model';
import { type Problem, ProblemError } from '@/lib/domain/problem';
import type { FindingMoved } from '@/lib/domain/rules/table';
import type { Backend } from '@/lib/domain/seam/backend';
import type { Provider } from '@/lib/domain/seam/provider';
import type { Steps } from '@/lib/domain/sliced-work';
import type { SourceState } from '@/lib/domain/source-state';
import { createHub, type Hub, type HubOptions } from '@/lib/server/live/hub';
import { createJoinedHub, createSharedHubs } from '@/lib/server/live/joined-hub';
import { createProbes, type Probes } from '@/lib/server/live/probe';
import { createStreams, type Streams } from '@/lib/server/stream/sse';
import { createPlaces, type Places } from '@/lib/server/stream/stream-quota';
import { credentialName } from './credentials';

export interface PooledCredential {
  readonly provider: Provider;
  readonly hub: Hub;
  readonly streams: Streams;
  readonly probes: Probes;
}

export interface CredentialPool {
  readonly own: PooledCredential;
  /** The server's own first. */
  readonly open: readonly PooledCredential[];
  /** `from`: the caller's network. Throws `busy` at the backend's limit. */
  of(secret: string, from?: string): PooledCredential;
  close(): Promise<void>;
}

export interface ViewpointsOptions {
  readonly backend: Backend;
  readonly now: () => number;
  readonly findingsOf: (world: World) => readonly Finding[];
  /** Each viewpoint has its own instance. */
  readonly createFindingChanges: () => (world: World) => Steps<readonly FindingMoved[]>;
  readonly streamsMax: number;
  readonly streamsTotalMax?: number;
  /** The share of each caller, over all viewpoints. */
  readonly places?: Places;
  /** Longest time that an unused viewpoint stays. */
  readonly idleMs?: number;
  /** Receives the state of the server's own world. */
  readonly onSource: (source: SourceState) => void;
  /** The backend no longer knows a credential. `name`: from `credentialName`. */
  readonly onSignedOut: (name: string) => void;
  readonly onBug: (error: unknown) => void;
}

/** One of two replicas with 5,000 viewers carries all of them when the other fails (docs/decisions/0029). */
const streamsTotalMaxDefault = 6_000;
const idleMsDefault = 60_000;
const sweepMs = 5_000;
/** A recent caller may be between two pages. */
const roomMs = 3_000;

interface PooledViewpoint extends PooledCredential {
  usedAtMs: number;
  /** The network of the first person who used it; share links come from none. */
  from: string | undefined;
  busy(): number;
  /** Resolves once no call is in progress. A later call finds the provider closed. */
  idle(): Promise<void>;
}

function counted(provider: Provider): Pick<PooledViewpoint, 'provider' | 'busy' | 'idle'> {
  let callsUnderWay = 0;
  const waiting: (() => void)[] = [];
  const count =
    <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      callsUnderWay += 1;
      try {
        return await call(...args);
      } finally {
        callsUnderWay -= 1;
        if (callsUnderWay === 0) for (const resolve of waiting.splice(0)) resolve();
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
    busy: () => callsUnderWay,
    idle: () => new Promise((resolve) => (callsUnderWay === 0 ? resolve() : waiting.push(resolve))),
  };
}

export function createCredentialPool(options: ViewpointsOptions): CredentialPool {
  const { backend, now, findingsOf, createFindingChanges, streamsMax, idleMs = idleMsDefault } = options;
  const { streamsTotalMax = streamsTotalMaxDefault, places = createPlaces() } = options;
  const { onSource, onSignedOut, onBug } = options;
  const pool = new Map<string, PooledViewpoint>();
  const ending = new Set<Promise<void>>();

  const isFull = () =>
    [own, ...pool.values()].reduce((sum, { streams }) => sum + streams.count, 0) >= streamsTotalMax;
  const hubOf = (provider: HubOptions['provider'], onSource?: (source: SourceState) => void) =>
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
    const { provider, busy, idle } = counted(backend.provider(secret, () => viewpoint.from ?? ''));
    const onSourceState = (source: SourceState) => {
      if (source.problem?.code === 'signed-out') onRefused(source.problem);
    };
    const hub =
      secret === null
        ? hubOf(provider, onSource)
        : createJoinedHub({ provider, shared, now, alone: (alone) => hubOf(alone, onSourceState) });
    const viewpoint: PooledViewpoint = {
      provider,
      hub,
      streams: createStreams({ hub, max: streamsMax, onBug, isFull, places }),
      probes: createProbes({ provider, now }),
      usedAtMs: now(),
      from,
      busy,
      idle,
    };
    return viewpoint;
  };
  let closing = () => {};
  const closes = new Promise<void>((resolve) => {
    closing = resolve;
  });
  const end = async ({ streams, hub, provider }: PooledCredential, until = closes) => {
    streams.close();
    await hub.close();
    await until;
    provider.close();
  };
  /** The viewpoint ends after its calls in progress. */
  const remove = (name: string, one: PooledViewpoint) => {
    if (pool.get(name) === one) pool.delete(name);
    const ended = end(one, Promise.race([one.idle(), closes])).catch(onBug);
    ending.add(ended);
    void ended.finally(() => ending.delete(ended));
  };
  const own = make(null, () => {});
  const restsFor = (one: PooledViewpoint, ms: number) => {
    // A clock that was set back must not keep viewpoints in use until it catches up.
    if (one.hub.viewers > 0 || one.busy() > 0 || one.usedAtMs > now()) one.usedAtMs = now();
    return now() - one.usedAtMs >= ms;
  };
  const sweep = () => {
    for (const [name, one] of pool) if (restsFor(one, idleMs)) remove(name, one);
  };
  const makeRoom = (max: number) => {
    const resting = [...pool].filter(([, one]) => restsFor(one, roomMs));
    const [oldest] = resting.sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs);
    if (oldest === undefined)
      throw new ProblemError({ code: 'busy', why: { code: 'too-many-people', facts: { max } } });
    remove(...oldest);
  };
  const timer = setInterval(sweep, sweepMs);
  timer.unref();

  // A viewpoint outlives its first request, and would keep that one in memory.
  const open = AsyncResource.bind((secret: string, name: string, from?: string): PooledViewpoint => {
    const max = backend.credentialsMax - 1;
    if (pool.size >= max) makeRoom(max);
    const viewpoint = make(
      secret,
      (problem) => {
        if (pool.get(name) !== viewpoint) return;
        pool.delete(name);
        onSignedOut(name);
        viewpoint.streams.end(problem);
        // The watch that reports this must not be ended from within its own call.
        setImmediate(() => remove(name, viewpoint));
      },
      from,
    );
    pool.set(name, viewpoint);
    return viewpoint;
  });

  return {
    own,
    get open() {
      return [own, ...pool.values()];
    },
    of: (secret, from) => {
      const name = credentialName(secret);
      const one = pool.get(name) ?? open(secret, name, from);
      one.usedAtMs = now();
      one.from ??= from;
      return one;
    },
    close: async () => {
      clearInterval(timer);
      closing();
      await Promise.all([...[own, ...pool.values()].map((one) => end(one)), ...ending]);
      await shared.close();
      pool.clear();
    },
  };
}
