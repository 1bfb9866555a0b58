/** Consul behind the seam: watch and recognition make worlds, `act` makes plans and writes. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Renewal, World } from '@/lib/domain/model';
import type { Provider, ProviderListener } from '@/lib/domain/seam/provider';
import { inSlices } from '@/lib/domain/steps';
import { createActor } from '@/lib/providers/consul/actions/actions';
import { createConsulClient } from '@/lib/providers/consul/client/client';
import { type Clock, systemClock } from '@/lib/providers/consul/client/clock';
import { type ConsulSettings, sourceOf } from '@/lib/providers/consul/client/settings';
import type { SharedSockets } from '@/lib/providers/consul/client/sockets';
import { createEnds, type Ends } from '@/lib/providers/consul/observed/ends';
import type { ServerHistory } from '@/lib/providers/consul/observed/server-history';
import type { Sightings } from '@/lib/providers/consul/observed/sightings';
import { createSlicedRecogniser } from '@/lib/providers/consul/recognise/recognise';
import type { Renewals } from '@/lib/providers/consul/renewals/renewals';
import { inTurn, oversees, readable, seesSessions } from '@/lib/providers/consul/sight/rights';
import type { Sights } from '@/lib/providers/consul/sight/sights';
import { decided, onWide, type Stage, type StageTold } from '@/lib/providers/consul/sight/stage';
import { watchConsul } from '@/lib/providers/consul/watch/watch';
import { probeDelay } from './probe';

/** Sockets for writes and the reads before them: few, and never behind those of the watch. */
const actorCallsMax = 4;

/**
 * The renewals of those that hold or want something: of the others nobody asks, and they may be many. The list of before
 * where it is the same.
 */
function renewalsOf(world: World, renewals: Renewals, before: readonly Renewal[]): readonly Renewal[] {
  const rows: Renewal[] = [];
  for (const { id, ttlMs, holds, wants } of world.sessions) {
    if (ttlMs === null || holds.length + wants.length === 0) continue;
    const row = renewals.instants(id);
    if (row !== null) rows.push(row);
  }
  return rows.length === before.length && rows.every((row, i) => row === before[i]) ? before : rows;
}

/** Makes it at the first call. */
function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | null = null;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

/**
 * A provider for one address and one token. `prefixes`: the string prefixes of the key-value store to watch, '' for
 * all of it. Close it when done.
 */
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
  /** The agents whose log is followed for renewals: the agent in use, unless told otherwise; none to look for none. */
  renewalAgents?: readonly ConsulSettings[];
  /** What it shares with the providers of other tokens; its own ones unless given. They are not closed with it. */
  sockets?: SharedSockets;
  /** Shared with the providers of other tokens: what one of them ends the others see end. */
  ends?: Ends;
  /** What the provider of another token knows from before, or what this one knows for others. */
  elder?: Readonly<ServerHistory>;
  elderOf?: ServerHistory;
  /** With the server's own token: where what is watched is played for everybody. With another's: where it may be. */
  stage?: Stage;
  /** With another token than the server's: shows what it may see of the stage, as long as that is wide. */
  sights?: Sights;
  /** The network of whoever looks by it. */
  from?: () => string;
}): Provider {
  const reader = createConsulClient(
    settings,
    sockets === undefined ? {} : { sockets: { polls: sockets.polls, calls: sockets.reads } },
  );
  let closed = false;
  // Most of those who look do not act, and each of these is made for a thousand tokens.
  const writer = once(() => {
    const made = createConsulClient(
      settings,
      sockets === undefined ? { maxPolls: 1, maxCalls: actorCallsMax } : { sockets },
    );
    if (closed) made.close();
    return made;
  });
  let seen: { readonly renewals: Renewals; readonly sightings: Sightings } | null = null;
  /** What this token may not see is not read for a plan either, so that nothing of it is told by what is known beside. */
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
    // A heartbeat that waited behind what is read would make a busy agent look like one that is gone.
    const client = { ...reader, leader: writer().leader, session: writer().session };
    const watch = (told: StageTold | null, within: AbortSignal) =>
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
            const after = await inSlices(recognise(view), yieldToEventLoop);
            const now = { ...after, renewals: moved(after, renewals) };
            world = now;
            await listener.world(now, asOfMs);
            // Renewals that have moved meanwhile were overwritten by those of before.
            if (world !== now) listener.renewals?.(moving, clock.now());
            told?.scene({ world, asOfMs }, view.checks ?? [], known);
          },
          onRenewals: (renewals, asOfMs) => {
            if (world === null) return;
            const before = moving;
            if (moved(world, renewals) === before) return;
            world = { ...world, renewals: moving };
            listener.renewals?.(moving, asOfMs);
            told?.renewals(moving, asOfMs);
          },
          onSource: (source) => {
            listener.source(isOwn ? source : { ...source, sight: 'own' });
            told?.source(source);
          },
          onContact: (atMs) => {
            listener.contact?.(atMs);
            told?.contact(atMs);
          },
        },
        within,
      );
    try {
      if (isOwn && stage !== undefined) await stage.play((told) => watch(told, signal), signal);
      else await watch(null, signal);
    } finally {
      // Nobody listens any more, so silence would grow by itself, and a plan would call a holder overdue by it.
      if (seen === mine) seen = null;
    }
  };
  /** By the sight of this token as long as the server sees everything, and else alone. */
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
  return {
    id: sourceOf(settings).id,
    watch: (listener, signal) =>
      sights === undefined || stage === undefined
        ? watchAlone(listener, signal)
        : watchBoth(listener, signal, sights, stage),
    plan: (action, signal) => actor().plan(action, signal),
    refuses: (action, expect) => actor().refuses(action, expect),
    saw: (action, expect) => actor().saw(action, expect),
    apply: (action, expect, signal) => actor().apply(action, expect, signal),
    rights: (actions, signal) => actor().rights(actions, signal),
    readable: (what, signal) => readable(asker(), what, signal),
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
