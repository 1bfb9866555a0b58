/**
 * Watches everything that locks depend on, through every outage, and says what it sees as views of one moment.
 *
 *   down --a beat is answered--> catching up --all read, and it fits--> live
 *     ^                               ^  '------- a read fails -------> stale, until it is read again
 *     '--- two beats unanswered: every query is given up --------------'
 *
 * A period is the time in which the agent answers. All queries of a period end with it, for a stopped agent would
 * let them hang for a minute, and the next period reads everything anew. What appears in between was not seen to
 * happen, and the sightings say so (`afterGap`).
 */
import { setMaxListeners } from 'node:events';
import type { Source } from '@/lib/domain/model';
import type { Problem } from '@/lib/domain/problem';
import type { ConsulClient, ReadOptions, Reply } from './client';
import type { Clock } from './clock';
import { follow } from './follow';
import { freshness } from './freshness';
import { type Link, watchLink } from './link';
import { distrust, keepRows, newReadings, type Reading, type Readings, type Root, take } from './readings';
import { watchRenewals } from './renewal-watch';
import { createRenewals, type Renewals } from './renewals';
import { type ConsulSettings, origin } from './settings';
import { createShowing, type Memory, type Showing } from './showing';
import type { View } from './view';

export interface WatchOptions {
  readonly client: ConsulClient;
  /** String prefixes to watch; '' for all. */
  readonly prefixes: readonly string[];
  readonly clock: Clock;
  /** The agents to follow for renewals; none by default. */
  readonly renewalAgents?: readonly ConsulSettings[];
  /** Renewals that change no verdict have moved: at most once a second. */
  readonly onRenewals?: (renewals: Renewals, asOfMs: number) => void;
  readonly onView: (view: View, asOfMs: number, renewals: Renewals) => void;
  /** Called when the state, the problem or the datacenter changes; not for every contact. */
  readonly onSource: (source: Source) => void;
}

interface Watch extends Omit<WatchOptions, 'onView'> {
  readonly onView: (view: View, asOfMs: number) => void;
  readonly readings: Readings;
  readonly memory: Memory;
  readonly renewals: Renewals;
  /** Makes a new view, if there is a period. */
  requestView: () => void;
  /** Consul has answered. */
  readonly contact: () => void;
  /** Says how fresh the view is, if that has changed. */
  readonly tell: () => void;
}

/** A feed of one resource into its reading. `vital`: without it there is no view, and its failure is a gap, unless brief. */
function feed<T extends readonly unknown[]>(
  watch: Watch,
  showing: Showing,
  one: Reading<T>,
  {
    read,
    vital,
    onReply,
  }: {
    read: (options: ReadOptions) => Promise<Reply<T>>;
    vital: (problem: Problem) => boolean;
    onReply?: (reply: Reply<T>) => Reply<T>;
  },
  signal: AbortSignal,
): Promise<void> {
  const { readings, memory } = watch;
  let askedTick = 0;
  let brokeAtMs: number | null = null;
  const changed = () => {
    watch.tell();
    showing.request();
  };
  return follow<T>(
    {
      read: (options) => {
        readings.tick += 1;
        askedTick = readings.tick;
        return read(options);
      },
      empty: (value) => value.length === 0,
      onValue: (reply, stale) => {
        watch.contact();
        const anew = one.index !== null && reply.index !== null && BigInt(reply.index) < BigInt(one.index);
        if (brokeAtMs !== null && (anew || stale || watch.clock.now() - brokeAtMs > briefMs))
          memory.afterGap = true;
        brokeAtMs = null;
        take(readings, one, onReply === undefined ? reply : onReply(reply), { askedTick, stale });
        changed();
      },
      onSame: watch.contact,
      onProblem: (problem) => {
        one.problem = problem;
        one.current = !vital(problem);
        if (refused(problem)) one.value = null;
        if (broke(problem)) brokeAtMs ??= watch.clock.now();
        else if (!one.current) memory.afterGap = true;
        changed();
      },
    },
    watch.clock,
    signal,
  );
}

/**
 * A connection that was lost, and what it carried read again so soon, is no gap: until it broke it would have brought
 * every change, and an instant that is off by this much is as good as any that a busy agent gives.
 */
const briefMs = 1_000;
const broke = ({ why }: Problem) => why?.code === 'connection-broke' || why?.code === 'connection-not-taken';

const refused = (problem: Problem) => problem.code === 'forbidden' || problem.code === 'signed-out';

function feedRoot(watch: Watch, showing: Showing, root: Root, signal: AbortSignal): Promise<void> {
  return feed(
    watch,
    showing,
    root,
    {
      read: (options) => watch.client.list(root.prefix, options),
      vital: () => true,
      onReply: (reply) => {
        const { rows, locksChanged } = keepRows(root.value, reply.value);
        watch.readings.tick += 1;
        if (locksChanged) root.changedTick = watch.readings.tick;
        return { ...reply, value: rows };
      },
    },
    signal,
  );
}

/** All feeds, until the period ends. */
async function period(watch: Watch, signal: AbortSignal): Promise<void> {
  const { client, readings } = watch;
  distrust(readings);
  Object.assign(watch.memory, { afterGap: true, late: false });
  const showing = createShowing(watch, signal);
  watch.requestView = showing.request;
  await Promise.all([
    showing.ended,
    ...readings.roots.map((root) => feedRoot(watch, showing, root, signal)),
    // A token that may not list sessions sees locks all the same, with holders that are only ids.
    feed(
      watch,
      showing,
      readings.sessions,
      { read: client.sessions, vital: (problem) => !refused(problem) },
      signal,
    ),
    feed(watch, showing, readings.checks, { read: client.checks, vital: () => false }, signal),
  ]);
}

/** Runs until aborted; resolves when all that it started has ended. Rejects for a bug only. */
export async function watchConsul(options: WatchOptions, signal: AbortSignal): Promise<void> {
  const { client, clock } = options;
  const readings = newReadings(options.prefixes);
  const { renewalAgents = [] } = options;
  const renewals = createRenewals(renewalAgents.map(origin), origin(client.settings));
  const memory: Memory = { observed: null, hidden: new Set(), asked: new Map(), afterGap: true, late: false };
  let link: Link | null = null;
  let datacenter: string | null = null;
  let lastContactMs: number | null = null;
  let staleSinceMs: number | null = null;
  let told: string | null = null;

  const tell = () => {
    const shown = memory.observed !== null;
    const { state, problem } = freshness({
      link,
      readings,
      shown,
      ...memory,
      asksWithToken: client.settings.token !== null,
    });
    staleSinceMs = state === 'live' || !shown ? null : (staleSinceMs ?? lastContactMs);
    // The time of the last contact is no news by itself: it would wake every browser with every heartbeat.
    const endsSeenSinceMs = memory.afterGap ? null : (memory.observed?.endsSeenSinceMs ?? null);
    const watches = renewals.watches;
    const news = JSON.stringify([state, problem, datacenter, staleSinceMs, endsSeenSinceMs, watches]);
    if (news === told) return;
    told = news;
    const { settings } = client;
    const freshest = { state, lastContactMs, staleSinceMs, endsSeenSinceMs, renewals: watches, problem };
    options.onSource({ provider: 'consul', datacenter, origin: origin(settings), ...freshest });
  };
  const watch: Watch = {
    ...options,
    onView: (view, asOfMs) => {
      options.onView(view, asOfMs, renewals);
      tell();
    },
    readings,
    memory,
    renewals,
    requestView: () => {},
    contact: () => {
      lastContactMs = clock.now();
    },
    tell,
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
    // Every query of a period listens to its end, and there is one for each root: no leak, whatever Node suspects.
    setMaxListeners(0, within);
    const ended = running.ended.then(() => (within.aborted ? undefined : period(watch, within))).catch(fail);
    running = { end, ended };
    learnDatacenter(within);
  };
  const learnDatacenter = (within: AbortSignal) =>
    client.self({ signal: within }).then(
      (self) => {
        datacenter = self.datacenter;
        tell();
      },
      // Without the right to read the agent its datacenter stays unknown. Nothing depends on it.
      () => {},
    );
  const onBeat = (beat: Link) => {
    link = beat;
    if (beat.state === 'up') watch.contact();
    if (beat.state === 'up' && running.end.signal.aborted) begin();
    if (beat.state === 'down') {
      running.end.abort();
      memory.afterGap = true;
    }
    tell();
  };
  tell();
  const following = watchRenewals(
    {
      agents: renewalAgents,
      clock,
      renewals,
      onVerdicts: () => watch.requestView(),
      onMoved: () => options.onRenewals?.(renewals, clock.now()),
      onWatch: tell,
      size: () => readings.sessions.value?.length ?? 0,
    },
    whole,
  ).catch(fail);
  await watchLink({ client, clock, onBeat }, whole).catch(fail);
  await following;
  await running.ended;
  if (bugs.length > 0) throw bugs[0];
}
