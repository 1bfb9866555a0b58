/** Checks with Signalbox that the audit's chain is whole. */
import type { Stage } from '@/quality/chaos/stage';
import { until } from '@/test/support/until';

/** Retries until the store is read, because a restarted database may break one more connection. */
export function chainOf({
  server,
  tokens,
}: Pick<Stage, 'server' | 'tokens'>): Promise<{ readonly brokenAt: number | null }> {
  return until(
    async () => {
      const response = await fetch(`${server.baseUrl}/api/v1/audit/chain`, {
        headers: { 'x-consul-token': tokens.management },
        signal: AbortSignal.timeout(20_000),
      });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      return (await response.json()) as { brokenAt: number | null };
    },
    { what: 'the chain of the audit to be told', timeoutMs: 30_000, everyMs: 250 },
  );
}
