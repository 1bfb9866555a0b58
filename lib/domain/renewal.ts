/**
 * Conclusions from the renewals of one session. The backend does not report when a session was renewed or how
 * much time it has left. Signalbox sees renewals only as they pass through a followed agent.
 *
 *   unseen --a renewal is seen--> on time --none for a TTL--> overdue --it outlives two TTLs--> elsewhere
 *     ^                            ^   ^------ a renewal is seen ------'                            |
 *     '--- (the session ends)      '------- renewals on time for two TTLs ------------------------- '
 *
 * - Silence starts at the latest of three instants: the last renewal, the last leader election, and the moment
 *   since which every agent that ever carried this session's renewals is followed without a gap. Before it, a
 *   renewal may have passed unseen or been impossible.
 * - Silence counts up to the moment until which the streams are proven whole, never to "now": a later renewal
 *   may be on its way, or lost.
 * - `on time`: if its process is dead, the session ends at most two TTLs after the start of silence.
 * - `overdue`: no renewal for a whole TTL. Clients renew at least twice in a TTL, so its process is probably
 *   dead.
 * - `elsewhere`: the session outlived its end, so it renews through an agent that is not followed (or an
 *   election passed unseen). Its silence means nothing until it has renewed on time for two TTLs.
 * - `broken`: one of its agents is not followed right now. Signalbox concludes nothing.
 */
import type { RenewalWatch } from './source-state';

/** Time for the network, and for a log that the agent flushes every 200 ms. */
export const slackMs = 1_000;
/** Time for Signalbox to read the end of a session, and for a new leader to settle. */
export const graceMs = 5_000;
/** Time until the next look. The proof of a silence, or a gap, comes within seconds. */
const proofMs = 1_000;

/** The state of the session's agents. `unseen`: it renews through none of the followed ones. */
export type UnseenWhy = Exclude<RenewalWatch['state'], 'observed'> | 'unseen' | 'left';

/** The renewals of one session that Signalbox has seen. */
export interface SeenRenewals {
  readonly lastMs: number;
  /** The agents that passed on the renewals, sorted, for people. */
  readonly agents: string;
  /** Signalbox follows those agents without a gap since this instant; `null`: one of them is not followed now. */
  readonly wholeSinceMs: number | null;
  /** Those agents have shown everything up to this instant. */
  readonly wholeUntilMs: number;
  /** Signalbox noticed at this instant that the session also renews elsewhere; `null`: not known. */
  readonly elsewhereAtMs: number | null;
}

/** Everything that decides on the phase of one session. */
export interface Renewing {
  /** `null`: Signalbox has seen no renewal of the session. */
  readonly seen: SeenRenewals | null;
  readonly why: UnseenWhy;
  /** The last leader election, which gave every session its full time again; `null`: none was seen. */
  readonly restartedMs: number | null;
}

export interface Phase {
  readonly phase: 'unseen' | 'broken' | 'on-time' | 'overdue' | 'elsewhere';
  /** The start of silence. */
  readonly fromMs: number | null;
  /** The latest end of the session, if its process is dead. */
  readonly latestMs: number | null;
  /** The instant at which time alone may change the phase; `null`: never. */
  readonly nextMs: number | null;
}

const still = (phase: Phase['phase'], fromMs: number | null = null): Phase => ({
  phase,
  fromMs,
  latestMs: null,
  nextMs: null,
});

/** The start of silence; `null`: nothing was seen, or one of the agents is not followed. */
export function silenceFromMs({ seen, restartedMs }: Renewing): number | null {
  if (seen === null || seen.wholeSinceMs === null) return null;
  return Math.max(seen.lastMs, seen.wholeSinceMs, restartedMs ?? 0);
}

/** The next instant at which a silence until `endMs` may be proven. */
const nextOf = (endMs: number, nowMs: number) => (endMs > nowMs ? endMs : nowMs + proofMs);

/** The phase of a session with a TTL, as the diagram above has it. */
export function phaseOf(ttlMs: number, renewing: Renewing, nowMs: number): Phase {
  if (renewing.seen === null) return still('unseen');
  const fromMs = silenceFromMs(renewing);
  if (fromMs === null) return still('broken');
  const provenMs = Math.min(nowMs, renewing.seen.wholeUntilMs);
  const dueMs = fromMs + ttlMs + slackMs;
  const latestMs = fromMs + 2 * ttlMs;
  const outlivedMs = latestMs + graceMs;
  if (renewing.seen.elsewhereAtMs !== null || provenMs >= outlivedMs) return still('elsewhere', fromMs);
  if (provenMs >= dueMs) return { phase: 'overdue', fromMs, latestMs, nextMs: nextOf(outlivedMs, nowMs) };
  return { phase: 'on-time', fromMs, latestMs, nextMs: nextOf(dueMs, nowMs) };
}

/** Everything that a judgement takes from renewals, as one text to compare. Renewals on time do not change the text. */
export function phaseSign(ttlMs: number, renewing: Renewing, nowMs: number): string {
  const { phase, fromMs } = phaseOf(ttlMs, renewing, nowMs);
  const { seen, why, restartedMs } = renewing;
  if (seen === null) return `${phase} ${why}`;
  const restart = restartedMs !== null && restartedMs > seen.lastMs ? restartedMs : null;
  const instants = phase === 'on-time' ? [] : [seen.lastMs, fromMs, seen.elsewhereAtMs];
  return [phase, why, seen.agents, restart, ...instants].join(' ');
}
