/**
 * Follows every agent of the settings for renewals, or every server, asking again for the list of servers. Each client
 * renews twice or more in a TTL, and hardly a renewal changes a verdict. Those that do ask for a new view; the others
 * move two instants, reported together at most once a second.
 */
import { setMaxListeners } from 'node:events';
import type { Clock } from '@/lib/providers/consul/client/clock';
import {
  type ConsulSettings,
  origin,
  type RenewalAgents,
  renewalAgentsMax,
} from '@/lib/providers/consul/client/settings';
import { lastingSocket } from './agent-request';
import { followMonitor } from './monitor';
import { askServers } from './raft-peers';
import type { Renewals } from './renewals';

export interface RenewalWatchOptions {
  readonly agents: RenewalAgents;
  /** The agent in use, which names the servers. */
  readonly settings: ConsulSettings;
  readonly clock: Clock;
  readonly renewals: Renewals;
  /** Called when a verdict may have changed, so a new view is due. */
  readonly onVerdicts: () => void;
  /** Renewals have moved since the last call. */
  readonly onMoved: () => void;
  /** The list of agents, or the state of one, has changed. */
  readonly onWatch: () => void;
  /** The number of sessions; more of them are reported less often. */
  readonly size: () => number;
}

const batchMs = { min: 1_000, max: 15_000 };
/**
 * Between two questions for the servers. Shorter than the time between two renewals at Consul's shortest usual TTL of 10 s,
 * so that a session which moves to a new server hardly renews unseen.
 */
const serversMs = 4_000;
/** Refusals in a row that end what is followed. */
const refusalsMin = 3;

/** One message a second up to a thousand sessions, then a millisecond more for each. */
function batchPauseMs(sessions: number): number {
  return Math.min(batchMs.max, Math.max(batchMs.min, sessions));
}

/** Runs until aborted; rejects for a bug only. */
export async function watchRenewals(options: RenewalWatchOptions, signal: AbortSignal): Promise<void> {
  const { agents, settings, clock, renewals, onVerdicts, onMoved, onWatch, size } = options;
  if (agents !== 'servers' && agents.length === 0) return;
  let verdicts = false;
  let moved = false;
  const stop = new AbortController();
  const within = AbortSignal.any([signal, stop.signal]);
  // Each follower listens.
  setMaxListeners(0, within);
  const bugs: unknown[] = [];
  const running = new Set<Promise<void>>();
  const run = (task: Promise<void>) => {
    const ended = task.catch((error: unknown) => {
      bugs.push(error);
      stop.abort();
    });
    running.add(ended);
    void ended.finally(() => running.delete(ended));
  };
  const changed = () => {
    verdicts = true;
    onWatch();
  };

  const batches = async () => {
    let movedAtMs = clock.now();
    while (!within.aborted) {
      await clock.pause(batchMs.min, within);
      if (verdicts) {
        verdicts = false;
        onVerdicts();
      }
      // A clock that was set back holds nothing back.
      if (moved && Math.abs(clock.now() - movedAtMs) >= batchPauseMs(size()) - batchMs.min / 2) {
        moved = false;
        movedAtMs = clock.now();
        onMoved();
      }
    }
  };
  const followers = new Map<string, AbortController>();
  let namesNone = false;
  const follow = (followed: ConsulSettings) => {
    const agent = origin(followed);
    let leader: string | null | undefined;
    const end = new AbortController();
    followers.set(agent, end);
    run(
      followMonitor(
        {
          settings: followed,
          clock,
          onWatch: (watch) => {
            renewals.watched(watch);
            changed();
          },
          onRenewal: (sessionId, atMs) => {
            if (renewals.saw(agent, sessionId, atMs)) verdicts = true;
            moved = true;
          },
          onProof: (untilMs) => renewals.proved(agent, untilMs),
          onLeader: (now, atMs) => {
            // Compared with this agent's earlier answer: two agents learn of an election at different times.
            if (leader !== undefined && now !== leader && now !== null) {
              renewals.restarted(atMs);
              verdicts = true;
              moved = true;
            }
            leader = now;
          },
        },
        AbortSignal.any([within, end.signal]),
      ),
    );
  };
  /** Followers of servers that stay are left alone, so no renewal is lost. */
  const followOnly = (servers: readonly ConsulSettings[]) => {
    if (namesNone && servers.length === 0) return;
    namesNone = servers.length === 0;
    const named = new Set(servers.map(origin));
    const gone = renewals.watches.filter(({ agent }) => !named.has(agent));
    for (const { agent } of gone) {
      followers.get(agent)?.abort();
      followers.delete(agent);
      renewals.unfollowed(agent);
    }
    for (const server of servers) if (!followers.has(origin(server))) follow(server);
    if (namesNone) renewals.watched({ agent: origin(settings), state: 'no-servers', sinceMs: null });
    if (gone.length > 0) changed();
  };
  const followServers = async () => {
    const sockets = lastingSocket(settings);
    let refusals = 0;
    try {
      while (!within.aborted) {
        const askedMs = clock.now();
        const servers = await askServers({ settings, agent: sockets, signal: within });
        refusals = servers?.length === 0 ? refusals + 1 : 0;
        // The last list stays while no answer comes. A proxy may refuse one question and take the next.
        const isKept = followers.size > 0 && (servers === null || (refusals > 0 && refusals < refusalsMin));
        if (!within.aborted && !isKept) followOnly(servers?.slice(0, renewalAgentsMax) ?? []);
        const tookMs = Math.abs(clock.now() - askedMs);
        await clock.pause(Math.max(serversMs - tookMs, serversMs / 4), within);
      }
    } finally {
      sockets.destroy();
    }
  };
  const untilAborted = (task: Promise<void>) =>
    task.catch((error: unknown) => {
      if (!within.aborted) throw error;
    });
  if (agents === 'servers') run(untilAborted(followServers()));
  else for (const agent of agents) follow(agent);
  run(untilAborted(batches()));
  while (running.size > 0) await Promise.all(running);
  if (bugs.length > 0) throw bugs[0];
}
