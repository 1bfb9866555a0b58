/** Learns the nodes that are Consul servers. Their health is no evidence about holders (`lib/domain/verdict.ts`). */
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { refused } from './feed';
import type { Readings } from './readings';

/** The set rarely changes, so it takes none of the few connections for blocking queries. */
const serversMs = 60_000;
/** The rest after an unanswered request, as in an election. */
const serversAgainMs = 5_000;

/** Runs until the period ends. The last answer stays while Consul does not answer. */
export async function learnServers(
  {
    client,
    clock,
    readings,
    requestView,
  }: {
    readonly client: Pick<ConsulClient, 'servers'>;
    readonly clock: Clock;
    readonly readings: Pick<Readings, 'servers'>;
    readonly requestView: () => void;
  },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted)
    try {
      const servers = await client.servers({ signal }).then(
        ({ value }) => (value.length === 0 ? null : value.sort()),
        (error: unknown) => {
          if (!(error instanceof ConsulError)) throw error;
          return refused(error.problem) ? null : 'not-answered';
        },
      );
      if (servers !== 'not-answered' && JSON.stringify(servers) !== JSON.stringify(readings.servers)) {
        readings.servers = servers;
        requestView();
      }
      await clock.pause(servers === 'not-answered' ? serversAgainMs : serversMs, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
}
