/**
 * What can be concluded from the renewals of one session. The backend tells nobody when a session was renewed or how
 * much of its time is left; renewals are seen only as they pass through an agent that is followed.
 *
 *   unseen --a renewal is seen--> on time --none for a TTL--> overdue --it outlives two TTLs--> elsewhere
 *     ^                            ^   ^------ a renewal is seen ------'                            |
 *     '--- (the session ends)      '------- renewals on time for two TTLs ------------------------- '
 *
 * - Silence is counted from the latest of: the last renewal, the moment from which every agent on which this session
 *   was ever renewed is followed without a gap, and the last election of a leader. Before that moment a renewal may
 *   have gone by unseen, or could not be made at all. It is counted up to the moment until which the streams are proven
 *   whole, and never to "now": what was sent since may still be on its way, or lost.
 * - `on time`: if its process is dead, the session ends two TTLs after that moment at the latest.
 * - `overdue`: nothing for a whole TTL. Clients renew twice or more in a TTL, so its process is probably dead.
 * - `elsewhere`: it should have ended, and it is there. So it is renewed through an agent that is not followed (or an
 *   election went by unseen). Its silence here means nothing from then on, until it has come in time for a while.
 * - `broken`: one of its agents is not followed right now. Nothing is concluded.
 */
import type { RenewalWatch } from './source';

/** Renewals come late by a network and a log that is flushed every 200 ms; nobody is overdue for that. */
export const slackMs = 1_000;
/** How long a session may outlive its end before it counts: the end has to be read, and a new leader to settle. */
export const graceMs = 5_000;
/** When to look again where silence lasts but is not yet proven: the proof comes within seconds, or a gap does. */
const proofMs = 1_000;

/** Why nothing is seen: the state of the agents, or that the session was not renewed through any of them. */
export type UnseenWhy = Exclude<RenewalWatch['state'], 'observed'> | 'unseen';

/** What was seen of one session's renewals. */
export interface SeenRenewals {
  readonly lastMs: number;
  /** The agents on which it was renewed, sorted, for people. */
  readonly agents: string;
  /** Since when all of those are followed without a gap; `null`: one of them is not, right now. */
  readonly wholeSinceMs: number | null;
  /** Until when all of those are known to have shown everything. */
  readonly wholeUntilMs: number;
  /** When it was noticed that it is renewed elsewhere too; `null`: it is not known to be. */
  readonly elsewhereAtMs: number | null;
}

export interface Renewing {
  /** `null`: no renewal of it was ever seen. */
  readonly seen: SeenRenewals | null;
  /** Why none is seen, where none is. */
  readonly why: UnseenWhy;
  /** When a new leader was last seen: it gives every session its full time anew. */
  readonly restartedMs: number | null;
}

export interface Phase {
  readonly phase: 'unseen' | 'broken' | 'on-time' | 'overdue' | 'elsewhere';
  /** From when silence counts. */
  readonly fromMs: number | null;
  /** When it ends at the latest if no renewal comes. */
  readonly latestMs: number | null;
  /** When the phase changes by the mere passing of time. */
  readonly nextMs: number | null;
}

const still = (phase: Phase['phase'], fromMs: number | null = null): Phase => ({
  phase,
  fromMs,
  latestMs: null,
  nextMs: null,
});

/** From when silence counts; `null`: nothing was seen, or not all of its agents are followed. */
export function silenceFromMs({ seen, restartedMs }: Renewing): number | null {
  if (seen === null || seen.wholeSinceMs === null) return null;
  return Math.max(seen.lastMs, seen.wholeSinceMs, restartedMs ?? 0);
}

/** When a phase ends that began with silence until `endMs`, once that is proven. */
const nextOf = (endMs: number, nowMs: number) => (endMs > nowMs ? endMs : nowMs + proofMs);

/** The phase of a session with this TTL at `nowMs`. Pure. */
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

/**
 * Everything that a judgement takes from renewals, as one text: while it stays the same, so does the judgement.
 * Renewals in time do not change it.
 */
export function phaseSign(ttlMs: number, renewing: Renewing, nowMs: number): string {
  const { phase, fromMs } = phaseOf(ttlMs, renewing, nowMs);
  const { seen, why, restartedMs } = renewing;
  if (seen === null) return `${phase} ${why}`;
  const restart = restartedMs !== null && restartedMs > seen.lastMs ? restartedMs : null;
  const instants = phase === 'on-time' ? [] : [seen.lastMs, fromMs, seen.elsewhereAtMs];
  return [phase, why, seen.agents, restart, ...instants].join(' ');
}
