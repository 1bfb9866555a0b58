/** Programs' requests to the production build over a socket: metrics, health, the document. */
import { expect, test } from '@playwright/test';
import { startSignalbox } from '@/e2e/support/signalbox';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { type Family, readExposition } from '@/test/machines/exposition';
import { startConsul, stopAll } from '@/test/support/consul';
import { until } from '@/test/support/until';

test.describe.configure({ timeout: 120_000 });
test.afterAll(stopAll);

test('metrics, health and the document of a server as it is shipped', async () => {
  const consul = await startConsul();
  const signalbox = await startSignalbox({ consulAddress: consul.address });
  const ask = (path: string, init?: RequestInit) => fetch(`${signalbox.baseUrl}${path}`, init);
  const scrape = async () => {
    const response = await ask('/metrics');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    return readExposition(await response.text());
  };
  const value = (families: ReadonlyMap<string, Family>, name: string, labels: Record<string, string> = {}) =>
    families
      .get(name)
      ?.samples.find((one) => Object.entries(labels).every(([label, text]) => one.labels[label] === text))
      ?.value;

  try {
    const ghost = '11111111-2222-4333-8444-555555555555';
    await consul.client().txn([
      {
        verb: 'set',
        key: 'jobs/.lock',
        value: Buffer.from(`{"Limit":1,"Holders":{"${ghost}":true}}`),
        flags: semaphoreFlags,
      },
    ]);
    const first = await until(
      async () => {
        const now = await scrape();
        return value(now, 'signalbox_ghosts', { name: 'jobs' }) === 1 && now;
      },
      { what: 'the ghost, as a number', everyMs: 200 },
    );
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_heap_size_used_bytes',
    ])
      expect([name, (value(first, name) ?? 0) > 0]).toEqual([name, true]);

    // Counted by the route of actions, told by the route of metrics: both have the same runtime.
    const action = { type: 'semaphore.prune', source: 'consul', prefixes: ['jobs'] };
    const post = (body: unknown) =>
      ask('/api/v1/actions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { expect: seen } = (await (await post({ mode: 'plan', action })).json()) as { expect: unknown };
    expect((await post({ mode: 'apply', action, expect: seen })).status).toBe(200);
    const after = await scrape();
    const pruned = { action: 'semaphore.prune', mode: 'apply', outcome: 'done' };
    expect(value(after, 'signalbox_actions_total', pruned)).toBe(1);
    expect(value(after, 'signalbox_audit_rows_total', { kind: 'intent' })).toBe(1);
    expect(value(after, 'signalbox_audit_rows_total', { kind: 'outcome' })).toBe(1);

    for (const path of ['/healthz', '/readyz', '/metrics', '/api/v1/openapi', '/api/v1/openapi.json']) {
      const head = await ask(path, { method: 'HEAD' });
      expect([path, head.status, await head.text()]).toEqual([path, 200, '']);
      expect([path, (await ask(path, { method: 'DELETE' })).status]).toEqual([path, 405]);
    }
    const document = (await (await ask('/api/v1/openapi')).json()) as { openapi: string };
    expect(document.openapi).toBe('3.1.1');
    expect(await (await ask('/api/v1/openapi.json')).json()).toEqual(document);

    await consul.kill();
    await until(async () => (await ask('/readyz')).status === 503, { what: 'not to be ready', everyMs: 200 });
    expect((await ask('/healthz')).status).toBe(200);
    expect(value(await scrape(), 'signalbox_source_state', { state: 'live' })).toBe(0);
  } finally {
    await signalbox.stop();
  }
});
