/** Which nodes are Consul servers: their health says nothing of who holds (`lib/domain/verdict.ts`). */
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { refused } from './feed';
import type { Readings } from './readings';

/** A node hardly ever becomes a server, so none of the few connections for blocking queries waits for that. */
const serversMs = 60_000;
/** After a question that was not answered, as in an election. */
const serversAgainMs = 5_000;

/** Which nodes are servers, until the period ends. What is known stays so while it cannot be asked for. */
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
