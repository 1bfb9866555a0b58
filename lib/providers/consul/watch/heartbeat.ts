/**
 * Whether the agent answers at all. A process that is stopped, or a network that swallows packets, gives no error:
 * a blocking query would hang for a minute. So a cheap call with a short timeout goes out every two seconds. The agent answers
 * it from what it knows itself, and without permission. So every beat asks something with the token, too, which the leader
 * answers: an agent that has lost the way to it would let every query hang, and say that there is one; and who is shown out by
 * Consul must not look on here.
 */

import type { Problem } from '@/lib/domain/problem';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { ConsulError } from '@/lib/providers/consul/client/errors';

/**
 * `up`: it answers (`leader: false`: it knows of no leader; `refusal`: it does not know our token). `shaky`: one call
 * went unanswered, which may be chance. `down`: two in a row.
 */
export type Link =
  | { readonly state: 'up'; readonly leader: boolean; readonly refusal: Problem | null }
  | { readonly state: 'shaky' | 'down'; readonly problem: Problem };

const beatMs = 2_000;
const retryMs = 500;
/** An election takes a second or two: whoever waits for its end is not to wait for a beat besides. */
const leaderMs = 250;
/** Ten seconds. What takes longer is no election: a quorum is lost, and what is left of it is not to be asked in haste. */
const hastyMax = 40;
const timeoutMs = 2_500;
/** An agent that limits requests or connections is asked less often, not more. */
const busyMs = 6_000;
/** No session has it: the answer is small, is known from memory, and needs no more than a token that is known. */
const noSession = '00000000-0000-0000-0000-000000000000';

/** True when more requests would only make it worse. */
function overloaded({ code, why }: Problem): boolean {
  return code === 'busy' || why?.code === 'connection-not-taken';
}

/** Reports every beat until aborted; never rejects but for a bug. */
export async function watchLink(
  { client, clock, onBeat }: { client: ConsulClient; clock: Clock; onBeat: (link: Link) => void },
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  let leaderless = 0;
  let refusal: Problem | null = null;
  let busy = false;

  /** Resolves with why the leader's answer did not come; `null`: it came, whatever it says. */
  const askLeader = async (): Promise<Problem | null> => {
    try {
      await client.session(noSession, { signal, timeoutMs });
      refusal = null;
      return null;
    } catch (error) {
      if (!(error instanceof ConsulError)) throw error;
      // Any other refusal says nothing about the token.
      if (error.problem.code === 'signed-out' && client.settings.token !== null) refusal = error.problem;
      const isBusy = overloaded(error.problem);
      busy ||= isBusy;
      return error.status !== null || isBusy ? null : error.problem;
    }
  };
  const missed = (problem: Problem): Link => ({ state: failures === 0 ? 'shaky' : 'down', problem });
  const beat = async (): Promise<Link> => {
    busy = false;
    try {
      const leader = await client.leader({ signal, timeoutMs });
      const unanswered = leader === null ? null : await askLeader();
      return unanswered === null ? { state: 'up', leader: leader !== null, refusal } : missed(unanswered);
    } catch (error) {
      if (!(error instanceof ConsulError)) throw error;
      busy = overloaded(error.problem);
      // An agent that refuses the call is there; whether it has a leader is for the reads to find out.
      if (error.status !== null) return { state: 'up', leader: error.problem.code !== 'no-leader', refusal };
      return missed(error.problem);
    }
  };
  while (!signal.aborted) {
    try {
      const link = await beat();
      failures = link.state === 'up' ? 0 : failures + 1;
      onBeat(link);
      leaderless = link.state === 'up' && !link.leader ? leaderless + 1 : 0;
      const hasty = leaderless > 0 && leaderless <= hastyMax;
      const restMs = failures > 0 ? retryMs : hasty ? leaderMs : beatMs;
      await clock.pause(busy && failures !== 1 ? busyMs : restMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
}
