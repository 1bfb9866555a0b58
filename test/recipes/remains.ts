/** A semaphore's content in Consul, and that nothing of it is left there. */
import { expect } from 'vitest';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { readCoordination } from '@/lib/providers/consul/rows/coordination';
import { until } from '@/test/support/until';

/**
 * A `consul lock` ends its session in passing, while its process is about to exit: one that exits sooner leaves the
 * session to its TTL, of which Consul makes up to two.
 */
const goSessionMsMax = 2 * 15_000;

/** As `client` reads it. Sessions are found by the prefix in their names. */
export function remainsOf(client: ConsulClient) {
  const keys = async (prefix: string) => (await client.list(`${prefix}/`)).value.map(({ key }) => key);
  const lockRow = async (prefix: string) => (await client.get(`${prefix}/.lock`)).value;
  const recorded = async (prefix: string) =>
    readCoordination((await lockRow(prefix))?.value ?? Buffer.alloc(0)).holders ?? [];
  const sessionsNamed = async (part: string) =>
    (await client.sessions()).value.filter(({ name }) => name.includes(part));
  const nothingLeft = (prefix: string) =>
    until(
      async () => {
        const left = {
          sessions: (await sessionsNamed(prefix)).map(({ name }) => name),
          recorded: await recorded(prefix),
          keys: (await keys(prefix)).filter((key) => key !== `${prefix}/.lock`),
        };
        expect(left).toEqual({ sessions: [], recorded: [], keys: [] });
        return true;
      },
      { what: `nothing of ${prefix} is left`, timeoutMs: goSessionMsMax + 30_000 },
    );
  return { keys, lockRow, recorded, sessionsNamed, nothingLeft };
}
