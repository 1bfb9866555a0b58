/**
 * Checks every two seconds that the agent answers. A stopped process or a network that swallows packets gives no error,
 * so a blocking query would hang for a minute. A beat makes two calls with a short timeout:
 * - a cheap one, which the agent answers from memory without a permission;
 * - one with the token, which the leader answers. An agent that is cut off from its leader still names one, and a
 *   revoked token must stop seeing data here.
 */

import type { Problem } from '@/lib/domain/problem';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { ConsulError } from '@/lib/providers/consul/client/errors';

/**
 * `leader: false`: the agent knows no leader; `refusal`: it has twice not known our token. `shaky`: one call went
 * unanswered. `down`: two in a row.
 */
export type AgentLink =
  | { readonly state: 'up'; readonly leader: boolean; readonly refusal: Problem | null }
  | { readonly state: 'shaky' | 'down'; readonly problem: Problem };

const beatMs = 2_000;
const retryMs = 500;
/** The rest without a leader. An election takes a second or two, and a full beat would prolong the outage. */
const leaderMs = 250;
/** Beats of ten seconds. A longer gap is a lost quorum, and the servers that remain need no hasty calls. */
const hastyMax = 40;
/**
 * The rest after the first refusal of the token. A server that starts may name a leader before it has read its tokens,
 * which must not sign a person out.
 */
const unsureMs = 1_000;
const timeoutMs = 2_500;
/** An agent that limits requests or connections is asked less often. */
const busyMs = 6_000;
/** No session has this id. The answer is small, comes from memory, and requires only a known token. */
const noSession = '00000000-0000-0000-0000-000000000000';

/** True when more requests would make the problem worse. */
function overloaded({ code, why }: Problem): boolean {
  return code === 'busy' || why?.code === 'connection-not-taken';
}

/** True when the agent does not reach the datacenter of the request, so that only the agent has answered. */
const isAway = ({ why }: Problem) => why?.code === 'datacenter-away';

/** Reports every beat until aborted; rejects for a bug only. */
export async function watchLink(
  { client, clock, onBeat }: { client: ConsulClient; clock: Clock; onBeat: (link: AgentLink) => void },
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  let leaderless = 0;
  let refusal: Problem | null = null;
  /** The last beat was the first one that the agent refused. */
  let isUnsure = false;
  let busy = false;

  /** The problem in place of the leader's answer; `null`: an answer came, whatever its content. */
  const askLeader = async (): Promise<Problem | null> => {
    try {
      await client.session(noSession, { signal, timeoutMs });
      refusal = null;
      isUnsure = false;
      return null;
    } catch (error) {
      if (!(error instanceof ConsulError)) throw error;
      // Any other refusal does not concern the token.
      if (error.problem.code === 'signed-out' && client.settings.token !== null && refusal === null) {
        if (isUnsure) refusal = error.problem;
        isUnsure = !isUnsure;
      }
      const isBusy = overloaded(error.problem);
      busy ||= isBusy;
      if (isAway(error.problem)) return error.problem;
      return error.status !== null || isBusy ? null : error.problem;
    }
  };
  const missed = (problem: Problem): AgentLink => ({ state: failures === 0 ? 'shaky' : 'down', problem });
  const beat = async (): Promise<AgentLink> => {
    busy = false;
    try {
      const leader = await client.leader({ signal, timeoutMs });
      const unanswered = leader === null ? null : await askLeader();
      return unanswered === null ? { state: 'up', leader: leader !== null, refusal } : missed(unanswered);
    } catch (error) {
      if (!(error instanceof ConsulError)) throw error;
      busy = overloaded(error.problem);
      // An agent that refuses the call is up.
      if (error.status !== null && !isAway(error.problem))
        return { state: 'up', leader: error.problem.code !== 'no-leader', refusal };
      return missed(error.problem);
    }
  };
  while (!signal.aborted) {
    try {
      const link = await beat();
      failures = link.state === 'up' ? 0 : failures + 1;
      onBeat(link);
      leaderless = link.state === 'up' && !link.leader ? leaderless + 1 : 0;
      if (failures > 0 || leaderless > 0) isUnsure = false;
      const hasty = leaderless > 0 && leaderless <= hastyMax;
      const usualMs = isUnsure ? unsureMs : beatMs;
      const restMs = failures > 0 ? retryMs : hasty ? leaderMs : usualMs;
      await clock.pause(busy && failures !== 1 ? busyMs : restMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
}
