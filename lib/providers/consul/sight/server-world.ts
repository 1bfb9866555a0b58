/**
 * The world as the server reads it, for listeners that show a part of it. A token that may not read everything would
 * judge wrongly, because hidden entries would count as absent. So the server asks for its own right first, and again
 * every 30 s. The stage is empty until that right is known, and after it is lost. A server whose token Consul has not
 * known for 30 s has lost it, too, until the token is back.
 */

import type { Renewal, World } from '@/lib/domain/model';
import type { ProviderListener } from '@/lib/domain/seam/provider';
import type { SourceState } from '@/lib/domain/source-state';
import { type Ask, anyName } from '@/lib/providers/consul/client/acl';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import type { CheckRow } from '@/lib/providers/consul/client/wire';
import type { Sightings } from '@/lib/providers/consul/observed/sightings';
import type { Renewals } from '@/lib/providers/consul/renewals/renewals';

/** One world, with the data to cut it for a sight. */
export interface Scene {
  readonly world: World;
  readonly asOfMs: number;
  /** The services of each node that checks name. */
  readonly services: ReadonlyMap<string, ReadonlySet<string>>;
  readonly roots: readonly string[];
}

/** `pending`: not answered yet. `narrow`: the server may not read everything, or reads nothing. */
export type Width = 'pending' | 'wide' | 'narrow';

export interface Stage {
  readonly width: Width;
  readonly scene: Scene | null;
  readonly source: SourceState | null;
  /** The watch's knowledge beside the world; `null` without a watch. */
  readonly known: { readonly renewals: Renewals; readonly sightings: Sightings } | null;
  readonly reader: Pick<ConsulClient, 'list'>;
  /** Calls `listener` until the returned function is called. */
  follow(listener: Partial<StageListener>): () => void;
  /** Sends the events of `watch` to the stage until it ends. */
  play(watch: (told: StageTold) => Promise<void>, signal: AbortSignal): Promise<void>;
}

export interface StageListener {
  width(): void;
  scene(): void;
  renewals(asOfMs: number): void;
  source(): void;
  contact(atMs: number): void;
}

export type StageTold = Required<Pick<ProviderListener, 'source' | 'contact' | 'renewals'>> & {
  scene(
    scene: Omit<Scene, 'services' | 'roots'>,
    checks: readonly CheckRow[],
    known: NonNullable<Stage['known']>,
  ): void;
};

/** True when the right is missing, the agent is too old to answer, or ACLs are off, which leaves no sights. */
const isRefusal = ({ status }: ConsulError) => status !== null && [401, 403, 404, 405].includes(status);

const askAgainMs = 30_000;
const retryMs = 1_000;
/** A token that is made again within this time changes nothing. */
const endedMs = 30_000;

function servicesOf(checks: readonly CheckRow[]): ReadonlyMap<string, ReadonlySet<string>> {
  const services = new Map<string, Set<string>>();
  for (const { node, service } of checks) {
    if (service === '') continue;
    const of = services.get(node) ?? new Set();
    services.set(node, of.add(service));
  }
  return services;
}

export function createStage({
  client,
  prefixes,
  clock,
}: {
  client: Pick<ConsulClient, 'authorize' | 'leader' | 'list'>;
  prefixes: readonly string[];
  clock: Clock;
}): Stage {
  const listeners = new Set<Partial<StageListener>>();
  let width: Width = 'narrow';
  let scene: Scene | null = null;
  let source: SourceState | null = null;
  let known: Stage['known'] = null;
  let checks: readonly CheckRow[] = [];

  const tell = (say: (listener: Partial<StageListener>) => void) => {
    for (const listener of [...listeners]) say(listener);
  };
  const turn = (next: Width) => {
    if (width === next) return;
    width = next;
    tell((one) => one.width?.());
  };
  const roots = prefixes.length === 0 ? [''] : prefixes;
  const asks: readonly Ask[] = [
    ...roots.map((root): Ask => ({ resource: 'key', access: 'read', segment: `${root}${anyName}` })),
    { resource: 'session', access: 'read', segment: anyName },
    { resource: 'node', access: 'read', segment: anyName },
  ];
  /** A server that has just started knows no token until there is a leader. */
  const hasLeader = async (signal: AbortSignal) => {
    try {
      return (await client.leader({ signal })) !== null;
    } catch (error) {
      if (!signal.aborted && !(error instanceof ConsulError)) throw error;
      return false;
    }
  };
  const measure = async (signal: AbortSignal) => {
    /** The first refusal of the server's token in a row of such; `null`: the last answer was another one. */
    let unknownSinceMs: number | null = null;
    let wasRefused = false;
    while (!signal.aborted) {
      let restMs = askAgainMs;
      try {
        const answers = await client.authorize(asks, { signal });
        unknownSinceMs = null;
        wasRefused = false;
        turn(answers.every(Boolean) ? 'wide' : 'narrow');
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof ConsulError)) throw error;
        const isUnknown = error.problem.code === 'signed-out' && (await hasLeader(signal));
        if (signal.aborted) return;
        unknownSinceMs = isUnknown ? (unknownSinceMs ?? clock.now()) : null;
        // An election changes no right.
        const isRefused = isRefusal(error) && error.problem.code !== 'signed-out';
        // Without its own token the server sees nothing. Each person's token still does.
        const hasEnded = unknownSinceMs !== null && clock.now() - unknownSinceMs >= endedMs;
        // A server that has just started refuses every right for a moment.
        const isCertain = wasRefused || width !== 'wide';
        if ((isRefused && isCertain) || hasEnded) turn('narrow');
        wasRefused = isRefused;
        restMs = retryMs;
      }
      await clock.pause(restMs, signal).catch(() => {});
    }
  };

  return {
    get width() {
      return width;
    },
    get scene() {
      return scene;
    },
    get source() {
      return source;
    },
    get known() {
      return known;
    },
    reader: client,
    follow: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    play: async (watch, signal) => {
      turn('pending');
      const end = new AbortController();
      const within = AbortSignal.any([signal, end.signal]);
      const measuring = measure(within);
      try {
        await watch({
          scene: (next, nextChecks, nextKnown) => {
            const services =
              nextChecks === checks && scene !== null ? scene.services : servicesOf(nextChecks);
            checks = nextChecks;
            scene = { ...next, services, roots };
            known = nextKnown;
            tell((one) => one.scene?.());
          },
          renewals: (renewals: readonly Renewal[], asOfMs) => {
            if (scene !== null) scene = { ...scene, world: { ...scene.world, renewals } };
            tell((one) => one.renewals?.(asOfMs));
          },
          source: (next) => {
            source = next;
            tell((one) => one.source?.());
          },
          contact: (atMs) => tell((one) => one.contact?.(atMs)),
        });
      } finally {
        end.abort();
        known = null;
        scene = null;
        source = null;
        await measuring;
        turn('narrow');
      }
    },
  };
}

/** Calls `then` when the stage is wide. The returned function cancels that. */
export function onWide(stage: Stage, then: () => void): () => void {
  return stage.follow({
    width: () => {
      if (stage.width === 'wide') then();
    },
  });
}

/** Calls `then` when the stage is narrow. The returned function cancels that. */
export function onNarrow(stage: Stage, then: () => void): () => void {
  return stage.follow({
    width: () => {
      if (stage.width !== 'wide') then();
    },
  });
}

/** Longest wait for an answer before each token watches alone. */
const decideMaxMs = 2_000;

/** Resolves when the width is known, after `decideMaxMs`, or when the signal aborts. */
export async function decided(stage: Stage, signal: AbortSignal): Promise<void> {
  if (stage.width !== 'pending' || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      unfollow();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, decideMaxMs);
    const unfollow = stage.follow({ width: done });
    signal.addEventListener('abort', done, { once: true });
  });
}
