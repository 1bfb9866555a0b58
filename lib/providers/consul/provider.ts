/** Consul behind the seam. Watch and recognition make worlds; `actions` makes plans and writes. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Renewal, World } from '@/lib/domain/model';
import type { Provider, ProviderListener } from '@/lib/domain/seam/provider';
import { runInSlices } from '@/lib/domain/sliced-work';
import { createActor } from '@/lib/providers/consul/actions/actions';
import { createConsulClient } from '@/lib/providers/consul/client/client';
import { type Clock, systemClock } from '@/lib/providers/consul/client/clock';
import { type ConsulSettings, type RenewalAgents, sourceOf } from '@/lib/providers/consul/client/settings';
import type { SharedSockets } from '@/lib/providers/consul/client/sockets';
import type { ServerHistory } from '@/lib/providers/consul/observed/server-history';
import { createEnds, type Ends } from '@/lib/providers/consul/observed/sessions-ended-here';
import type { Sightings } from '@/lib/providers/consul/observed/sightings';
import { createSlicedRecogniser } from '@/lib/providers/consul/recognise/recognise';
import type { Renewals } from '@/lib/providers/consul/renewals/renewals';
import { inTurn, oversees, readable, seesSessions } from '@/lib/providers/consul/sight/rights';
import { decided, onWide, type Stage, type StageTold } from '@/lib/providers/consul/sight/server-world';
import type { Sights } from '@/lib/providers/consul/sight/sights';
import { watchConsul } from '@/lib/providers/consul/watch/watch';
import { probeDelay } from './probe';

/** Few connections, which never wait behind those of the watch. */
const actorCallsMax = 4;

const renewedOf = new WeakMap<World['sessions'], readonly string[]>();

/** Sessions with a TTL that hold or want something. Cached, because a list never changes. */
function renewed(sessions: World['sessions']): readonly string[] {
  const known = renewedOf.get(sessions);
  if (known !== undefined) return known;
  const ids: string[] = [];
  // `flatMap` makes a list for each session, and takes ten times longer.
  for (const one of sessions)
    if (one.ttlMs !== null && one.holds.length + one.wants.length > 0) ids.push(one.id);
  renewedOf.set(sessions, ids);
  return ids;
}

/** The renewals, as the earlier list if equal. */
function renewalsOf(world: World, renewals: Renewals, before: readonly Renewal[]): readonly Renewal[] {
  const rows: Renewal[] = [];
  for (const id of renewed(world.sessions)) {
    const row = renewals.instants(id);
    if (row !== null) rows.push(row);
  }
  return rows.length === before.length && rows.every((row, i) => row === before[i]) ? before : rows;
}

/** Calls `make` at the first call, and repeats its result. */
function once<T>(make: () => T): () => T {
  let cached: { readonly it: T } | null = null;
  return () => {
    cached ??= { it: make() };
    return cached.it;
  };
}

/** A provider for one address and one token. `prefixes`: string prefixes to watch, '' for all. Close it when done. */
export function createConsulProvider({
  settings,
  prefixes,
  now,
  clock = { ...systemClock, now },
  renewalAgents = [settings],
  sockets,
  ends = createEnds(clock.now),
  elder,
  elderOf,
  stage,
  sights,
  from = () => '',
}: {
  settings: ConsulSettings;
  prefixes: readonly string[];
  now: () => number;
  clock?: Clock;
  /** The agents whose renewals are followed; by default the agent in use. */
  renewalAgents?: RenewalAgents;
  /** Shared with other providers, so `close` leaves them open; its own by default. */
  sockets?: SharedSockets;
  /** The sessions that this process ended, shared with other providers. */
  ends?: Ends;
  /** Earlier knowledge of another token's watch. `elderOf`: this watch's, for others. */
  elder?: Readonly<ServerHistory>;
  elderOf?: ServerHistory;
  /** The stage that the server's own token plays on. Other tokens may show it. */
  stage?: Stage;
  /** Shows another token's part of the stage, while the stage is wide. */
  sights?: Sights;
  /** The network of the viewer. */
  from?: () => string;
}): Provider {
  const reader = createConsulClient(
    settings,
    sockets === undefined ? {} : { sockets: { polls: sockets.polls, calls: sockets.reads } },
  );
  let closed = false;
  // Made at first use, because most of perhaps a thousand tokens never act.
  const writer = once(() => {
    const client = createConsulClient(
      settings,
      sockets === undefined ? { maxPolls: 1, maxCalls: actorCallsMax } : { sockets },
    );
    if (closed) client.close();
    return client;
  });
  let seen: { readonly renewals: Renewals; readonly sightings: Sightings } | null = null;
  /** A plan must not reveal data that this token may not see. */
  const knownNow = () => seen ?? (sights === undefined ? null : (stage?.known ?? null));
  const actor = once(() =>
    createActor({
      client: writer(),
      roots: prefixes,
      now,
      renewals: () => knownNow()?.renewals ?? null,
      remembered: () => knownNow()?.sightings ?? null,
      ends,
      judge: () => (sights === undefined || stage?.width !== 'wide' ? null : stage.reader),
    }),
  );
  const asker = once(() => inTurn(writer()));
  /** Reads and watches with this token alone. */
  const watchAlone = async (listener: ProviderListener, signal: AbortSignal) => {
    const recognise = createSlicedRecogniser();
    let world: World | null = null;
    let mine: typeof seen = null;
    let moving: readonly Renewal[] = [];
    const moved = (of: World, renewals: Renewals) => {
      moving = renewalsOf(of, renewals, moving);
      return moving;
    };
    const isOwn = sights === undefined;
    // A heartbeat must not wait behind other reads, or a busy agent would look gone.
    const client = { ...reader, leader: writer().leader, session: writer().session };
    const watch = (stageListener: StageTold | null, within: AbortSignal) =>
      watchConsul(
        {
          client,
          prefixes,
          ...(sockets === undefined ? {} : { spare: sockets.spare }),
          clock,
          renewalAgents,
          ends,
          ...(elder === undefined ? {} : { elder }),
          ...(elderOf === undefined ? {} : { elderOf }),
          onView: async (view, asOfMs, renewals) => {
            const known = { renewals, sightings: view.sightings };
            seen = mine = known;
            const after = await runInSlices(recognise(view), yieldToEventLoop);
            const now = { ...after, renewals: moved(after, renewals) };
            world = now;
            await listener.world(now, asOfMs);
            // The world carried earlier renewals, and overwrote those that moved meanwhile.
            if (world !== now) listener.renewals?.(moving, clock.now());
            stageListener?.scene({ world, asOfMs }, view.checks ?? [], known);
          },
          onRenewals: (renewals, asOfMs) => {
            if (world === null) return;
            const before = moving;
            if (moved(world, renewals) === before) return;
            world = { ...world, renewals: moving };
            listener.renewals?.(moving, asOfMs);
            stageListener?.renewals(moving, asOfMs);
          },
          onSource: (source) => {
            listener.source(isOwn ? source : { ...source, sight: 'own' });
            stageListener?.source(source);
          },
          onContact: (atMs) => {
            listener.contact?.(atMs);
            stageListener?.contact(atMs);
          },
        },
        within,
      );
    try {
      if (isOwn && stage !== undefined)
        await stage.play((stageListener) => watch(stageListener, signal), signal);
      else await watch(null, signal);
    } finally {
      // Without a listener the seen renewals would age, and a plan would call a holder overdue.
      if (seen === mine) seen = null;
    }
  };
  /** Shows this token's part of the stage while the server sees everything. Otherwise the token watches alone. */
  const watchBoth = async (listener: ProviderListener, signal: AbortSignal, by: Sights, on: Stage) => {
    while (!signal.aborted) {
      await decided(on, signal);
      if (signal.aborted) return;
      if (on.width === 'wide') {
        await by.follow({ client: reader, from }, listener, signal);
        continue;
      }
      const end = new AbortController();
      const unfollow = onWide(on, () => end.abort());
      try {
        await watchAlone(listener, AbortSignal.any([signal, end.signal]));
      } finally {
        unfollow();
      }
    }
  };
  const { id } = sourceOf(settings);
  return {
    id,
    watch: (listener, signal) =>
      sights === undefined || stage === undefined
        ? watchAlone(listener, signal)
        : watchBoth(listener, signal, sights, stage),
    plan: (action, signal) => actor().plan(action, signal),
    refuses: (action, expect) => actor().refuses(action, expect),
    saw: (action, expect) => actor().saw(action, expect),
    apply: (action, expect, signal) => actor().apply(action, expect, signal),
    rights: (actions, signal) => actor().rights(actions, signal),
    readable: async (what, signal) => {
      const own = what.filter(({ source }) => source === id);
      const rights = new Map((await readable(asker(), own, signal)).map((right, i) => [own[i], right]));
      // A source that is no longer configured may hold anything.
      return what.map((one) => rights.get(one) ?? 'no');
    },
    seesSessions: (_source, signal) => seesSessions(asker(), signal),
    oversees: (signal) => oversees(asker(), signal),
    probe: ({ key }, signal) => probeDelay({ client: writer(), now, roots: prefixes }, key, signal),
    close: () => {
      closed = true;
      reader.close();
      writer().close();
    },
  };
}
