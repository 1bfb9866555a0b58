/** An agent that cuts every answer after seconds breaks the connection of a longer blocking query, with news or without. */
import { expect, test } from 'vitest';
import { startConsul } from '@/test/support/consul';
import { isConsulSince } from '@/test/support/consul-version';
import { until } from '@/test/support/until';
import { startWatching } from './watching';

const cutMs = 7_000;

test('a wait that the agent cuts brings its news, shows no outage, and the next waits are shorter than the limit', async ({
  skip,
}) => {
  if (!(await isConsulSince('1.22.5'))) skip('Consul has http_config.write_timeout since 1.22.5.');
  const consul = await startConsul({ extraConfig: { http_config: { write_timeout: `${cutMs}ms` } } });
  const client = consul.client();
  const waits: { waitMs: number; sinceMs: number; end: 'answered' | 'broken' | null }[] = [];
  const watching = startWatching({
    ...client,
    list: async (prefix, options) => {
      if (options?.block === undefined) return client.list(prefix, options);
      const { waitMs } = options.block;
      const wait: (typeof waits)[number] = { waitMs, sinceMs: Date.now(), end: null };
      waits.push(wait);
      try {
        const reply = await client.list(prefix, options);
        wait.end = 'answered';
        return reply;
      } catch (error) {
        wait.end = 'broken';
        throw error;
      }
    },
  });
  await watching.reaches('live');
  const live = watching.sources.length;
  const broken = () => waits.filter(({ end }) => end === 'broken');
  for (const n of [1, 2]) {
    const waiting = await until(() => waits.find(({ end }, at) => end === null && at === waits.length - 1), {
      what: 'a wait',
    });
    await until(() => Date.now() - waiting.sinceMs > cutMs + 2_000, { what: 'the limit to pass' });
    const writtenMs = Date.now();
    await client.txn([{ verb: 'set', key: 'a', value: Buffer.from(String(n)), flags: '0' }]);
    const shown = () =>
      watching.views
        .at(-1)
        ?.rows.find(({ key }) => key === 'a')
        ?.value.toString();
    await until(() => shown() === String(n), { what: 'the news' });
    // Long before the wait would have ended on its own.
    expect(Date.now() - writtenMs).toBeLessThan(15_000);
    expect(broken()).toHaveLength(n);
  }
  const shorter = await until(
    () => {
      const later = waits.slice(waits.findLastIndex(({ end }) => end === 'broken') + 1);
      return later.filter(({ end }) => end === 'answered').length >= 2 ? later : null;
    },
    { what: 'two waits that are answered', timeoutMs: 20_000 },
  );
  for (const { waitMs } of shorter) expect(waitMs).toBeLessThan(cutMs);
  expect(watching.sources.slice(live - 1).map(({ state, problem }) => [state, problem])).toEqual(
    watching.sources.slice(live - 1).map(() => ['live', null]),
  );
  await watching.stop();
}, 120_000);
