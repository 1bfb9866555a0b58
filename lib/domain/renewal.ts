/**
 * Conclusions from the renewals of one session. The backend does not report when a session was renewed or how
 * much time it has left; Signalbox sees renewals only as they pass through a followed agent.
 *
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

/** For the network and for a log that is flushed every 200 ms. */
export const slackMs = 1_000;
/** Signalbox has to read the end, and a new leader to settle. */
export const graceMs = 5_000;
/** The proof, or a gap, comes within seconds. */
const proofMs = 1_000;

/** The agents' state, or that the session renews through none of them. */
export type UnseenWhy = Exclude<RenewalWatch['state'], 'observed'> | 'unseen';

export interface SeenRenewals {
  readonly lastMs: number;
  /** The agents on which it was renewed, sorted, for people. */
  readonly agents: string;
  /** `null`: one of those agents is not followed right now. */
  readonly wholeSinceMs: number | null;
  /** Until then those agents are known to have shown everything. */
  readonly wholeUntilMs: number;
  /** When Signalbox noticed that it also renews elsewhere; `null`: not known to. */
  readonly elsewhereAtMs: number | null;
}

export interface Renewing {
  /** `null`: no renewal of it was ever seen. */
  readonly seen: SeenRenewals | null;
  readonly why: UnseenWhy;
  /** A new leader gives every session its full time again. */
  readonly restartedMs: number | null;
}

export interface Phase {
  readonly phase: 'unseen' | 'broken' | 'on-time' | 'overdue' | 'elsewhere';
  readonly fromMs: number | null;
  readonly latestMs: number | null;
  /** By time alone. */
  readonly nextMs: number | null;
}

const still = (phase: Phase['phase'], fromMs: number | null = null): Phase => ({
  phase,
  fromMs,
  latestMs: null,
  nextMs: null,
});

/** `null`: nothing was seen, or one of its agents is not followed. */
export function silenceFromMs({ seen, restartedMs }: Renewing): number | null {
  if (seen === null || seen.wholeSinceMs === null) return null;
  return Math.max(seen.lastMs, seen.wholeSinceMs, restartedMs ?? 0);
}

/** Once the silence until `endMs` is proven. */
const nextOf = (endMs: number, nowMs: number) => (endMs > nowMs ? endMs : nowMs + proofMs);

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

/** All that a judgement takes from renewals, as one text. Renewals on time do not change it. */
export function phaseSign(ttlMs: number, renewing: Renewing, nowMs: number): string {
  const { phase, fromMs } = phaseOf(ttlMs, renewing, nowMs);
  const { seen, why, restartedMs } = renewing;
  if (seen === null) return `${phase} ${why}`;
  const restart = restartedMs !== null && restartedMs > seen.lastMs ? restartedMs : null;
  const instants = phase === 'on-time' ? [] : [seen.lastMs, fromMs, seen.elsewhereAtMs];
  return [phase, why, seen.agents, restart, ...instants].join(' ');
}
