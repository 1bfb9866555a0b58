/** Real Consul datacenters, joined over their WAN ports: each knows the others and passes calls on to them. */
import { ask } from '@/scripts/agent.mjs';
import { claimPorts } from '@/scripts/ports.mjs';
import { startConsul, type TestConsul } from './consul';
import { until } from './until';

/** Starts one server for each name, and waits until each reaches all others. They end with the test file. */
export async function startDatacenters<N extends string>(
  ...names: readonly N[]
): Promise<Readonly<Record<N, TestConsul>>> {
  const block = await claimPorts(names.length);
  const started = await Promise.all(
    names.map((datacenter, n) =>
      startConsul({
        nodeName: `${datacenter}-node`,
        extraConfig: {
          datacenter,
          ports: { serf_wan: block.ports[n] },
          retry_join_wan: block.ports.filter((_, other) => other !== n).map((port) => `127.0.0.1:${port}`),
          retry_interval_wan: '1s',
        },
      }),
    ),
  );
  for (const { address } of started)
    for (const other of names)
      await until(async () => Boolean(await ask(address, `/v1/status/leader?dc=${other}`)), {
        what: `${other} to be reached`,
        timeoutMs: 30_000,
      });
  // The agents listen there now, and other claims see that.
  block.release();
  return Object.fromEntries(names.map((name, n) => [name, started[n]])) as Record<N, TestConsul>;
}
