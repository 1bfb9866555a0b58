/**
 * Remembers the seen renewals of existing sessions: a few numbers for each, and no line of any log. Pure: the caller
 * passes instants in, and `lib/domain/renewal.ts` judges. A judgement is cached until a renewal, an agent's state or
 * time changes it, because every view asks about thousands of sessions.
 */

import type { Renewal } from '@/lib/domain/model';
import { phaseOf, phaseSign, type Renewing, silenceFromMs, type UnseenWhy } from '@/lib/domain/renewal';
import { firstSource, type SourceId } from '@/lib/domain/source';
import type { RenewalWatch } from '@/lib/domain/source-state';
import type { SessionRow } from '@/lib/providers/consul/client/wire';

/** The recogniser's questions. */
export interface RenewalView {
  of(sessionId: string): Renewing;
  /**
   * Everything that a judgement takes from this session's renewals, as one text (`phaseSign`). '' without a TTL, and for
   * a session that `keep` did not name.
   */
  sign(sessionId: string, nowMs: number): string;
}

export interface Renewals extends RenewalView {
  /** An agent's log shows a renewal. True when a judgement may change. */
  saw(agent: string, sessionId: string, atMs: number): boolean;
  watched(watch: RenewalWatch): void;
  /** The agent is no longer followed. Its sessions have no conclusion until a renewal goes through another one. */
  unfollowed(agent: string): void;
  /** The log of an observed agent is complete until `untilMs`. */
  proved(agent: string, untilMs: number): void;
  /** A new leader has given every session its full time again. */
  restarted(atMs: number): void;
  /**
   * Forgets each session that was listed and is no longer. A log is ahead of the list, so one that was never listed is
   * kept until a list that comes `unlistedMs` after its last renewal.
   */
  keep(sessions: readonly SessionRow[], nowMs: number): void;
  /** The next instant after `nowMs` at which time alone changes a judgement; `null`: never. */
  wakeAtMs(nowMs: number): number | null;
  /** The instants of a session's renewals, as the same object while unchanged; `null`: none was seen. */
  instants(sessionId: string): Renewal | null;
  /** The state of each agent, in the order in which they were first followed. */
  readonly watches: readonly RenewalWatch[];
}

interface Entry {
  /** A list has shown the session with its TTL. */
  isListed: boolean;
  lastMs: number;
  /** Sorted addresses, nearly always one. */
  agents: readonly string[];
  elsewhereAtMs: number | null;
  /** Renewals have come in time since this instant, after the session was known to renew elsewhere. */
  inTimeSinceMs: number;
  /** Grows with every renewal. */
  revision: number;
  judged: CachedPhase | null;
  instants: { readonly revision: number; readonly row: Renewal } | null;
}

/** The judgement of one session until `nextMs`, unless something is seen meanwhile. */
interface CachedPhase {
  readonly revision: number;
  readonly atMs: number;
  readonly sign: string;
  readonly nextMs: number | null;
}

/** The list that shows a new session comes in, and becomes a view, within this time of the session's renewal. */
const unlistedMs = 30_000;
/** Most sessions of which only a renewal is known. */
const unknownMax = 50_000;

/** The reasons why no renewal is seen, the most hopeful first. The best agent gives the reason. */
const byHope: readonly UnseenWhy[] = [
  'unseen',
  'connecting',
  'forbidden',
  'unreachable',
  'left',
  'no-servers',
  'off',
];

/** Starts without a renewal. `agents`: the addresses to follow; none means that `origin` has this switched off. */
export function createRenewals(
  agents: readonly string[],
  origin: string,
  source: SourceId = firstSource,
): Renewals {
  const named = source === firstSource ? {} : { source };
  const off: RenewalWatch = { agent: origin, state: 'off', sinceMs: null };
  const watches = new Map<string, RenewalWatch>(
    agents.map((agent) => [agent, { agent, state: 'connecting', sinceMs: null }]),
  );
  const list = () => (watches.size === 0 ? [off] : [...watches.values()]);
  const provedMs = new Map<string, number>();
  const entries = new Map<string, Entry>();
  let ttls: ReadonlyMap<string, number> = new Map();
  let restartedMs: number | null = null;
  let lastSessions: readonly SessionRow[] = [];
  let revisions = 0;
  /** Counts changes for all sessions: the state of an agent, an election. */
  let general = 0;
  let unseen: { readonly revision: number; readonly sign: string } | null = null;

  const whyOf = ({ state }: RenewalWatch): UnseenWhy => (state === 'observed' ? 'unseen' : state);
  const mostHopeful = (whys: readonly UnseenWhy[]): UnseenWhy =>
    byHope.find((why) => whys.includes(why)) ?? 'off';
  const whyNot = () => mostHopeful(list().map(whyOf));
  /** An agent that is not followed any more. Without a list of servers nobody knows that it has left. */
  const whyGone = (): UnseenWhy => (whyNot() === 'no-servers' ? 'no-servers' : 'left');
  const renewing = (entry: Entry): Renewing => {
    const { lastMs, agents, elsewhereAtMs } = entry;
    // Only the session's own agents count, because its renewals do not go through others.
    const lost: UnseenWhy[] = [];
    let wholeSinceMs: number | null = 0;
    let wholeUntilMs = Number.POSITIVE_INFINITY;
    for (const agent of agents) {
      const watch = watches.get(agent);
      const sinceMs = watch?.state === 'observed' ? watch.sinceMs : null;
      if (watch?.state !== 'observed') lost.push(watch === undefined ? whyGone() : whyOf(watch));
      wholeSinceMs = sinceMs === null || wholeSinceMs === null ? null : Math.max(wholeSinceMs, sinceMs);
      wholeUntilMs = Math.min(wholeUntilMs, provedMs.get(agent) ?? 0);
    }
    const seen = { lastMs, agents: agents.join(', '), wholeSinceMs, wholeUntilMs, elsewhereAtMs };
    return { seen, why: lost.length > 0 ? mostHopeful(lost) : whyNot(), restartedMs };
  };

  const judged = (entry: Entry, ttlMs: number, nowMs: number): CachedPhase => {
    const known = entry.judged;
    const revision = Math.max(entry.revision, general);
    const holds = known !== null && known.revision === revision && known.atMs <= nowMs;
    if (holds && (known.nextMs === null || nowMs < known.nextMs)) return known;
    const seen = renewing(entry);
    const { nextMs } = phaseOf(ttlMs, seen, nowMs);
    entry.judged = { revision, atMs: nowMs, sign: phaseSign(ttlMs, seen, nowMs), nextMs };
    return entry.judged;
  };
  const signOfUnseen = (ttlMs: number, nowMs: number) => {
    if (unseen?.revision !== general)
      unseen = {
        revision: general,
        sign: phaseSign(ttlMs, { seen: null, why: whyNot(), restartedMs }, nowMs),
      };
    return unseen.sign;
  };

  return {
    get watches() {
      return list();
    },
    of: (sessionId) => {
      const entry = entries.get(sessionId);
      return entry === undefined ? { seen: null, why: whyNot(), restartedMs } : renewing(entry);
    },
    saw: (agent, sessionId, atMs) => {
      const entry = entries.get(sessionId);
      if (entry === undefined) {
        if (!ttls.has(sessionId) && entries.size >= ttls.size + unknownMax) return false;
        revisions += 1;
        entries.set(sessionId, {
          isListed: ttls.has(sessionId),
          lastMs: atMs,
          agents: [agent],
          elsewhereAtMs: null,
          inTimeSinceMs: atMs,
          revision: revisions,
          judged: null,
          instants: null,
        });
        return true;
      }
      const ttlMs = ttls.get(sessionId) ?? null;
      const before = renewing(entry);
      const phase = ttlMs === null ? 'unseen' : phaseOf(ttlMs, before, atMs).phase;
      const wasElsewhere = entry.elsewhereAtMs;
      const late = ttlMs !== null && atMs - entry.lastMs > ttlMs;
      // A late renewal, or one after a gap or an election, counts as in time from here on.
      if (late || entry.lastMs < (silenceFromMs(before) ?? atMs)) entry.inTimeSinceMs = atMs;
      if (phase === 'elsewhere') entry.elsewhereAtMs ??= atMs;
      if (ttlMs !== null && atMs - entry.inTimeSinceMs >= 2 * ttlMs) entry.elsewhereAtMs = null;
      const known = entry.agents.includes(agent) && entry.agents.every((one) => watches.has(one));
      // Renewals come no more through a server that has left.
      if (!known)
        entry.agents = [agent, ...entry.agents.filter((one) => one !== agent && watches.has(one))].sort();
      const restart = restartedMs !== null && entry.lastMs < restartedMs;
      entry.lastMs = Math.max(entry.lastMs, atMs);
      revisions += 1;
      entry.revision = revisions;
      return !known || phase === 'overdue' || wasElsewhere !== entry.elsewhereAtMs || restart;
    },
    watched: (watch) => {
      revisions += 1;
      general = revisions;
      watches.set(watch.agent, watch);
    },
    unfollowed: (agent) => {
      revisions += 1;
      general = revisions;
      watches.delete(agent);
      provedMs.delete(agent);
    },
    proved: (agent, untilMs) => {
      provedMs.set(agent, untilMs);
    },
    restarted: (atMs) => {
      revisions += 1;
      general = revisions;
      restartedMs = atMs;
    },
    keep: (sessions, nowMs) => {
      if (sessions === lastSessions) return;
      lastSessions = sessions;
      ttls = new Map(sessions.flatMap(({ id, ttlMs }) => (ttlMs === null ? [] : [[id, ttlMs] as const])));
      for (const [id, entry] of entries) {
        if (ttls.has(id)) entry.isListed = true;
        else if (entry.isListed || nowMs - entry.lastMs > unlistedMs) entries.delete(id);
      }
    },
    sign: (sessionId, nowMs) => {
      const ttlMs = ttls.get(sessionId);
      const entry = entries.get(sessionId);
      if (ttlMs === undefined) return '';
      return entry === undefined ? signOfUnseen(ttlMs, nowMs) : judged(entry, ttlMs, nowMs).sign;
    },
    instants: (sessionId) => {
      const entry = entries.get(sessionId);
      if (entry === undefined) return null;
      const revision = Math.max(entry.revision, general);
      if (entry.instants?.revision !== revision) {
        const { lastMs } = entry;
        const row = { ...named, id: sessionId, lastMs, fromMs: silenceFromMs(renewing(entry)) ?? lastMs };
        const was = entry.instants?.row;
        const isSame = was !== undefined && was.lastMs === row.lastMs && was.fromMs === row.fromMs;
        entry.instants = { revision, row: isSame ? was : row };
      }
      return entry.instants.row;
    },
    wakeAtMs: (nowMs) => {
      let wakeMs: number | null = null;
      for (const [id, entry] of entries) {
        const ttlMs = ttls.get(id);
        const nextMs = ttlMs === undefined ? null : judged(entry, ttlMs, nowMs).nextMs;
        if (nextMs !== null && nextMs > nowMs && (wakeMs === null || nextMs < wakeMs)) wakeMs = nextMs;
      }
      return wakeMs;
    },
  };
}
