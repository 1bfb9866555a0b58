import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

/**
 * A machine whose agent was killed, so that Consul calls its node critical and keeps it. A node that was only
 * registered as critical is taken out of the catalog within a minute, with its sessions (`reconcileReaped` in Consul's
 * leader.go). What is registered on it afterwards stays, as no living agent takes it away.
 */
export async function deadMachine(consul: TestConsul, nodeName: string): Promise<Pick<TestConsul, 'stop'>> {
  const agent = await startConsul({ beside: consul, nodeName });
  await agent.kill();
  const client = consul.client();
  await until(
    async () =>
      (await client.checks()).value.some(
        ({ node, checkId, status }) => node === nodeName && checkId === 'serfHealth' && status === 'critical',
      ),
    { what: `the end of ${nodeName}` },
  );
  return agent;
}
