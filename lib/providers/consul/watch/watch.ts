/**
 * Watches everything that locks depend on, through every outage, and publishes views of one moment.
 *
 *   down --a beat is answered--> catching up --all read, and it fits--> live
 *     ^                               ^  '------- a read fails -------> stale, until it is read again
 *     '--- two beats unanswered: every query is given up --------------'
 *
 * A period is the time in which the agent answers. All its queries end with it, because a stopped agent would let them
 * hang. The next period reads everything again, and changes in between were not seen to happen (`afterGap`).
 */
import { setMaxListeners } from 'node:events';
import type { SourceState } from '@/lib/domain/source-state';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { createAccount } from '@/lib/providers/consul/client/duty-cycle';
import { origin, type RenewalAgents, sourceOf } from '@/lib/providers/consul/client/settings';
import { createSparePolls, type SparePolls } from '@/lib/providers/consul/client/spare-polls';
import type { CheckRow, KvRow, SessionRow } from '@/lib/providers/consul/client/wire';
import type { ServerHistory } from '@/lib/providers/consul/observed/server-history';
import type { Ends } from '@/lib/providers/consul/observed/sessions-ended-here';
import type { ConsulView } from '@/lib/providers/consul/recognise/view';
import { watchRenewals } from '@/lib/providers/consul/renewals/renewal-watch';
import { createRenewals, type Renewals } from '@/lib/providers/consul/renewals/renewals';
import { newEndedKnown } from './ended-sessions';
import { feed } from './feed';
import { freshness } from './freshness';
import { type AgentLink, watchLink } from './heartbeat';
import { createDoubts } from './index-reset';
import { newWholeKnown } from './key-visibility';
import { newAnswers } from './known-answers';
import { comingSinceMs, distrust, keepSessions, newReadings, prefixesOf, type Readings } from './readings';
import { learnServers } from './servers';
import { watchPrefix } from './sharded-prefix';
import { uncoversSession } from './uncovered-entries';
import { createShowing, type PublisherState } from './view-publisher';

export interface WatchOptions {
  readonly client: ConsulClient;
  /** Prefixes of keys, as plain strings; '' watches all keys. */
  readonly prefixes: readonly string[];
  /** Connections for reading a large prefix in parts; none by default. */
  readonly spare?: SparePolls;
  readonly clock: Clock;
  readonly renewalAgents?: RenewalAgents;
  /** Knowledge of another credential's watch; none by default. */
  readonly elder?: Readonly<ServerHistory>;
  /** Shares this watch's knowledge with later watches. */
  readonly elderOf?: ServerHistory;
  /** Sessions that this process has ended; none by default. */
  readonly ends?: Pick<Ends, 'has'>;
  /** Called when renewals moved without a change of verdict, at most once a second. */
  readonly onRenewals?: (renewals: Renewals, asOfMs: number) => void;
  /** The next view waits until the returned promise resolves. */
  readonly onView: (view: ConsulView, asOfMs: number, renewals: Renewals) => void | Promise<void>;
  /** Called when the state, the problem or the datacenter changes; not for every contact. */
  readonly onSource: (source: SourceState) => void;
  readonly onContact?: (atMs: number) => void;
}

/** The parts of one watch, which last through all its periods. */
interface Watch extends Omit<WatchOptions, 'onView'> {
  readonly onView: (view: ConsulView, asOfMs: number) => void | Promise<void>;
  readonly spare: SparePolls;
  readonly readings: Readings;
  readonly memory: PublisherState;
  readonly renewals: Renewals;
  readonly restored: () => void;
  requestView: () => void;
  /** Ends every wait and reads its resource again. */
  doubtWaits: () => void;
  /**
   * The leader was missing since all waits were last doubted. Consul 1.22.7 may hold a query of that time for up to 19 s
   * after the election.
   */
  isLeaderless: boolean;
  readonly contact: () => void;
  readonly tell: () => void;
}

const sameSessions = (before: readonly SessionRow[], after: readonly SessionRow[]) =>
  keepSessions(before, after) === before;

const sameChecks = (before: readonly CheckRow[], after: readonly CheckRow[]) =>
  before.length === after.length &&
  before.every(
    ({ node, checkId, status }, i) =>
      node === after[i]?.node && checkId === after[i].checkId && status === after[i].status,
  );

/** Several resources may prove one restore at different times within this span. */
const sameRestoreMs = 4_000;

/** Half the time between two heartbeats. */
const betweenMs = 1_000;

const noneSpare = createSparePolls({ total: 0, each: 0 });

/** Reads and follows everything until the agent stops answering. */
async function period(watch: Watch, signal: AbortSignal): Promise<void> {
  const { client, readings } = watch;
  distrust(readings);
  Object.assign(watch.memory, {
    afterGap: true,
    gapUnshown: false,
    late: false,
    unshownSinceMs: null,
    // An agent upgraded meanwhile may have another rule.
    keyRule: { enforced: null, askedMs: null },
  });
  const showing = createShowing(watch, signal);
  watch.requestView = showing.request;
  const doubts = createDoubts();
  watch.doubtWaits = doubts.raiseAll;
  const feeding = {
    ...watch,
    doubts,
    // The row may come from a server behind the leader, so the leader decides.
    putBack: ({ key, createIndex, modifyIndex }: KvRow) =>
      void client.get(key, { signal, consistency: 'consistent' }).then(
        ({ value }) => {
          if (value?.createIndex === createIndex && value.modifyIndex === modifyIndex) watch.restored();
        },
        () => {},
      ),
    leaderless: () => {
      watch.isLeaderless = true;
    },
    changed: () => {
      watch.tell();
      showing.request();
    },
  };
  const account = createAccount(watch.clock);
  await Promise.all([
    showing.ended,
    ...prefixesOf(readings).map((prefix) =>
      watchPrefix(feeding, { prefix, spare: watch.spare, account }, signal),
    ),
    // A token without the right to list sessions still sees locks, with ids for holders. An unknown token lacks no right:
    // Consul that has just started knows none, and a token that is deleted may be made again.
    feed(
      feeding,
      readings.sessions,
      {
        read: client.sessions,
        same: sameSessions,
        uncovers: uncoversSession,
        vital: ({ code }) => code !== 'forbidden',
      },
      signal,
    ),
    learnServers(watch, signal),
    feed(feeding, readings.checks, { read: client.checks, same: sameChecks, vital: () => false }, signal),
  ]);
}

/** Watches until `signal` aborts, and resolves when all work has ended. Rejects for a bug only. */
export async function watchConsul(options: WatchOptions, signal: AbortSignal): Promise<void> {
  const { client, clock } = options;
  const readings = newReadings(options.prefixes);
  const { renewalAgents = [] } = options;
  const renewals = createRenewals(
    // Until the servers are known, the agent that is asked for them stands in the list.
    renewalAgents === 'servers' ? [origin(client.settings)] : renewalAgents.map(origin),
    origin(client.settings),
    sourceOf(client.settings).id,
  );
  const memory: PublisherState = {
    observed: null,
    hidden: new Set(),
    asked: newAnswers(),
    ended: newEndedKnown(),
    whole: newWholeKnown(),
    keyRule: { enforced: null, askedMs: null },
    afterGap: true,
    gapTick: 0,
    gapUnshown: false,
    late: false,
    unshownSinceMs: null,
  };
  let link: AgentLink | null = null;
  let datacenter: string | null = null;
  let lastContactMs: number | null = null;
  let staleSinceMs: number | null = null;
  let restoredAtMs: number | null = null;
  let lastPublished: string | null = null;
  /** A view was published. */
  let shown = false;

  const publishSource = () => {
    const behindSinceMs = Math.min(comingSinceMs(readings) ?? Infinity, memory.unshownSinceMs ?? Infinity);
    const { state, problem } = freshness({
      link,
      readings,
      shown,
      ...memory,
      afterGap: memory.afterGap || memory.gapUnshown,
      // A clock that was set back gives a negative time.
      behindMs: Math.max(0, clock.now() - behindSinceMs),
      asksWithToken: client.settings.token !== null,
    });
    const currentAtMs = Math.min(lastContactMs ?? Infinity, behindSinceMs);
    staleSinceMs =
      state === 'live' || !shown ? null : (staleSinceMs ?? (currentAtMs === Infinity ? null : currentAtMs));
    // The last contact alone would wake every browser with every heartbeat.
    const endsSeenSinceMs = memory.afterGap ? null : (memory.observed?.endsSeenSinceMs ?? null);
    const watches = renewals.watches;
    const theirsMs = options.elder?.restoredAtMs ?? null;
    const isOwn = restoredAtMs !== null && theirsMs !== null && theirsMs - restoredAtMs < sameRestoreMs;
    const restoredMs = isOwn ? restoredAtMs : (theirsMs ?? restoredAtMs);
    // A token without the right to read the agent takes the datacenter from the elder watch.
    const agentIn = datacenter ?? options.elder?.datacenter ?? null;
    const place = client.settings.datacenter ?? agentIn;
    const isAcross = place !== agentIn;
    const news = JSON.stringify([
      state,
      problem,
      agentIn,
      staleSinceMs,
      endsSeenSinceMs,
      restoredMs,
      watches,
    ]);
    if (news === lastPublished) return;
    lastPublished = news;
    const { settings } = client;
    const freshest = {
      state,
      lastContactMs,
      staleSinceMs,
      endsSeenSinceMs,
      restoredAtMs: restoredMs,
      renewals: watches,
      problem,
    };
    const { id, kind, title } = sourceOf(settings);
    const at = { datacenter: place, origin: origin(settings) };
    const across = isAcross ? { across: { from: agentIn } } : {};
    options.onSource({ id, title, provider: kind, ...at, ...across, ...freshest });
  };
  const { spare = noneSpare } = options;
  const leave = spare.begin();
  const watch: Watch = {
    ...options,
    spare,
    onView: async (view, asOfMs) => {
      // A spread would leave out its rows (`all-rows.ts`).
      await options.onView(Object.assign(view, { source: sourceOf(client.settings).id }), asOfMs, renewals);
      shown = true;
    },
    readings,
    memory,
    renewals,
    requestView: () => {},
    doubtWaits: () => {},
    isLeaderless: false,
    restored: () => {
      const nowMs = clock.now();
      if (Math.abs(nowMs - (restoredAtMs ?? Number.NEGATIVE_INFINITY)) < sameRestoreMs) return;
      restoredAtMs = nowMs;
      if (options.elderOf !== undefined) options.elderOf.restoredAtMs = nowMs;
      publishSource();
    },
    contact: () => {
      lastContactMs = clock.now();
      options.onContact?.(lastContactMs);
    },
    tell: publishSource,
  };

  const stop = new AbortController();
  const whole = AbortSignal.any([signal, stop.signal]);
  setMaxListeners(0, whole);
  let running = { end: new AbortController(), ended: Promise.resolve() };
  running.end.abort();
  const bugs: unknown[] = [];
  const fail = (error: unknown) => {
    bugs.push(error);
    stop.abort();
  };
  const begin = () => {
    const end = new AbortController();
    const within = AbortSignal.any([whole, end.signal]);
    // Every query of a period listens to its end. Node would report a leak.
    setMaxListeners(0, within);
    const ended = running.ended.then(() => (within.aborted ? undefined : period(watch, within))).catch(fail);
    running = { end, ended };
    learnDatacenter(within);
  };
  const learnDatacenter = (within: AbortSignal) =>
    client.self({ signal: within }).then(
      (self) => {
        datacenter = self.datacenter;
        if (options.elderOf !== undefined) options.elderOf.datacenter = datacenter;
        publishSource();
      },
      // The token may not read the agent, so the datacenter stays unknown, on which nothing depends.
      () => {},
    );
  let between: ReturnType<typeof setTimeout> | undefined;
  const onBeat = (beat: AgentLink) => {
    if (beat.state === 'up') watch.isLeaderless ||= !beat.leader;
    // The answers may come over another path than the earlier waits.
    const isBack = link?.state === 'shaky' || watch.isLeaderless;
    if (isBack && beat.state === 'up' && beat.leader) {
      watch.isLeaderless = false;
      watch.doubtWaits();
    }
    link = beat;
    if (beat.state === 'up') watch.contact();
    if (beat.state === 'up' && running.end.signal.aborted) begin();
    if (beat.state === 'down') {
      running.end.abort();
      memory.afterGap = true;
    }
    publishSource();
    // Only time reveals slow news, so freshness is checked once more before the next beat.
    clearTimeout(between);
    between = setTimeout(() => {
      try {
        publishSource();
      } catch (error) {
        fail(error);
      }
    }, betweenMs);
  };
  publishSource();
  const following = watchRenewals(
    {
      agents: renewalAgents,
      settings: client.settings,
      clock,
      renewals,
      onVerdicts: () => watch.requestView(),
      onMoved: () => options.onRenewals?.(renewals, clock.now()),
      onWatch: publishSource,
      size: () => readings.sessions.value?.length ?? 0,
    },
    whole,
  ).catch(fail);
  await watchLink({ client, clock, onBeat }, whole).catch(fail);
  clearTimeout(between);
  await following;
  await running.ended;
  leave();
  if (bugs.length > 0) throw bugs[0];
}
