/**
 * Whether the agent answers at all. A process that is stopped, or a network that swallows packets, gives no error:
 * a blocking query would hang for a minute. So a cheap call with a short timeout goes out every two seconds.
 */
import type { Problem } from '@/lib/domain/problem';
import type { ConsulClient } from './client';
import type { Clock } from './clock';
import { ConsulError } from './errors';

/**
 * `up`: it answers (`leader: false`: it knows of no leader). `shaky`: one call went unanswered, which may be chance.
 * `down`: two in a row.
 */
export type Link =
  | { readonly state: 'up'; readonly leader: boolean }
  | { readonly state: 'shaky' | 'down'; readonly problem: Problem };

const beatMs = 2_000;
const retryMs = 500;
const timeoutMs = 2_500;

/** Reports every beat until aborted; never rejects but for a bug. */
export async function watchLink(
  { client, clock, onBeat }: { client: ConsulClient; clock: Clock; onBeat: (link: Link) => void },
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  const beat = async (): Promise<Link> => {
    try {
      const leader = await client.leader({ signal, timeoutMs });
      return { state: 'up', leader: leader !== null };
    } catch (error) {
      if (!(error instanceof ConsulError)) throw error;
      // An agent that refuses the call is there; whether it has a leader is for the reads to find out.
      if (error.status !== null) return { state: 'up', leader: error.problem.code !== 'no-leader' };
      return { state: failures === 0 ? 'shaky' : 'down', problem: error.problem };
    }
  };
  while (!signal.aborted) {
    try {
      const link = await beat();
      failures = link.state === 'up' ? 0 : failures + 1;
      onBeat(link);
      await clock.pause(failures === 0 ? beatMs : retryMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
}
