/**
 * What was seen of renewals, for the sessions that exist. Keeps a few numbers for each, and no line of any log. Pure:
 * the instants are passed in, and what follows from them is `lib/domain/renewal.ts`. What follows is kept until a renewal
 * or the state of an agent changes it, or its time has come: thousands of sessions are asked about with every view.
 */

import type { Renewal } from '@/lib/domain/model';
import { phaseOf, phaseSign, type Renewing, silenceFromMs, type UnseenWhy } from '@/lib/domain/renewal';
import { firstSource, type SourceId } from '@/lib/domain/source';
import type { RenewalWatch } from '@/lib/domain/source-state';
import type { SessionRow } from '@/lib/providers/consul/client/wire';

/** What the recogniser asks. */
export interface RenewalView {
  of(sessionId: string): Renewing;
  /**
   * Everything that a judgement takes from the renewals of this session, as one text (`phaseSign`). '' for a session
   * without a TTL, and for one that `keep` did not name.
   */
  sign(sessionId: string, nowMs: number): string;
}

export interface Renewals extends RenewalView {
  /** A renewal went through `agent`. True when something may follow from it that did not before. */
  saw(agent: string, sessionId: string, atMs: number): boolean;
  /** The state of one agent has changed. */
  watched(watch: RenewalWatch): void;
  /** Everything that went through an observed agent until `untilMs` has been seen. */
  proved(agent: string, untilMs: number): void;
  /** A new leader: every session has its full time again. */
  restarted(atMs: number): void;
  /** Forgets every session but these. */
  keep(sessions: readonly SessionRow[]): void;
  /** When something follows from the mere passing of time, after `nowMs`; `null` when nothing will. */
  wakeAtMs(nowMs: number): number | null;
  /** The instants of one session, `null` when no renewal of it was seen. The same object while they are the same. */
  instants(sessionId: string): Renewal | null;
  /** The agents, in the order of the settings. */
  readonly watches: readonly RenewalWatch[];
}

interface Entry {
  lastMs: number;
  /** Sorted; nearly always one. */
  agents: readonly string[];
  elsewhereAtMs: number | null;
  /** Since when it has come in time, once it was known to be renewed elsewhere. */
  inTimeSinceMs: number;
  /** Grows with every renewal. */
  revision: number;
  judged: Judged | null;
  instants: { readonly revision: number; readonly row: Renewal } | null;
}

/** What follows for one session until `nextMs`, unless something is seen meanwhile. */
interface Judged {
  readonly revision: number;
  readonly atMs: number;
  readonly sign: string;
  readonly nextMs: number | null;
}

/** Renewals may be seen before their session is; more than these at a time are not kept for that. */
const unknownMax = 50_000;

/** Why nothing is seen, as the best of all agents. */
const byHope: readonly UnseenWhy[] = ['unseen', 'connecting', 'forbidden', 'unreachable', 'off'];

/** Nothing seen yet. `agents`: the addresses that will be followed; none means that it is switched off for `origin`. */
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
  let kept: readonly SessionRow[] = [];
  let revisions = 0;
  /** Of what concerns every session: the state of an agent, an election. */
  let general = 0;
  let unseen: { readonly revision: number; readonly sign: string } | null = null;

  const whyNot = (among: readonly RenewalWatch[]): UnseenWhy => {
    const isOf = (why: UnseenWhy) =>
      among.some(({ state }) => (state === 'observed' ? 'unseen' : state) === why);
    return byHope.find(isOf) ?? 'off';
  };
  const renewing = (entry: Entry): Renewing => {
    const { lastMs, agents, elsewhereAtMs } = entry;
    // Of its own agents, those that are not followed: that others are does not help.
    const lost: RenewalWatch[] = [];
    let wholeSinceMs: number | null = 0;
    let wholeUntilMs = Number.POSITIVE_INFINITY;
    for (const agent of agents) {
      const watch = watches.get(agent);
      if (watch === undefined) continue;
      const { state, sinceMs } = watch;
      if (state !== 'observed') lost.push(watch);
      wholeSinceMs =
        state !== 'observed' || sinceMs === null || wholeSinceMs === null
          ? null
          : Math.max(wholeSinceMs, sinceMs);
      wholeUntilMs = Math.min(wholeUntilMs, provedMs.get(agent) ?? 0);
    }
    const seen = { lastMs, agents: agents.join(', '), wholeSinceMs, wholeUntilMs, elsewhereAtMs };
    return { seen, why: whyNot(lost.length > 0 ? lost : list()), restartedMs };
  };

  const judged = (entry: Entry, ttlMs: number, nowMs: number): Judged => {
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
        sign: phaseSign(ttlMs, { seen: null, why: whyNot(list()), restartedMs }, nowMs),
      };
    return unseen.sign;
  };

  return {
    get watches() {
      return list();
    },
    of: (sessionId) => {
      const entry = entries.get(sessionId);
      return entry === undefined ? { seen: null, why: whyNot(list()), restartedMs } : renewing(entry);
    },
    saw: (agent, sessionId, atMs) => {
      const entry = entries.get(sessionId);
      if (entry === undefined) {
        if (!ttls.has(sessionId) && entries.size >= ttls.size + unknownMax) return false;
        revisions += 1;
        entries.set(sessionId, {
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
      // Late, or a gap or an election lies before this one: it comes in time from here on, if it does.
      if (late || entry.lastMs < (silenceFromMs(before) ?? atMs)) entry.inTimeSinceMs = atMs;
      if (phase === 'elsewhere') entry.elsewhereAtMs ??= atMs;
      if (ttlMs !== null && atMs - entry.inTimeSinceMs >= 2 * ttlMs) entry.elsewhereAtMs = null;
      const known = entry.agents.includes(agent);
      if (!known) entry.agents = [...entry.agents, agent].sort();
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
    proved: (agent, untilMs) => {
      provedMs.set(agent, untilMs);
    },
    restarted: (atMs) => {
      revisions += 1;
      general = revisions;
      restartedMs = atMs;
    },
    keep: (sessions) => {
      if (sessions === kept) return;
      kept = sessions;
      ttls = new Map(sessions.flatMap(({ id, ttlMs }) => (ttlMs === null ? [] : [[id, ttlMs] as const])));
      for (const id of entries.keys()) if (!ttls.has(id)) entries.delete(id);
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
