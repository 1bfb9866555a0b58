/** Answers of a real Consul that something in between has spoiled. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SourceState } from '@/lib/domain/source-state';
import { createConsulClient } from '@/lib/providers/consul/client/client';
import { systemClock as clock } from '@/lib/providers/consul/client/clock';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { consulSettings } from '@/lib/providers/consul/client/settings';
import { watchConsul } from '@/lib/providers/consul/watch/watch';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { type FaultProxy, startFaultProxy } from '@/test/support/fault-proxy';
import { until } from '@/test/support/until';

let consul: TestConsul;
let proxy: FaultProxy;
const settings = () => consulSettings({ CONSUL_HTTP_ADDR: proxy.address });

beforeAll(async () => {
  consul = await startConsul();
  proxy = await startFaultProxy(consul.address);
});
afterAll(() => proxy.close());

const spoil = (index: string) =>
  proxy.garble((piece) =>
    Buffer.from(
      piece.toString('latin1').replace(/X-Consul-Index: \d+/gi, `X-Consul-Index: ${index}`),
      'latin1',
    ),
  );

test.each(['7, 9', 'abc', '-1', '1.5', '', '9'.repeat(40)])(
  'an invalid index (%s) counts as none, and the watch continues',
  async (index) => {
    const client = createConsulClient(settings());
    const end = new AbortController();
    const sources: SourceState[] = [];
    const watching = watchConsul(
      { client, prefixes: [''], clock, onView: () => {}, onSource: (source) => void sources.push(source) },
      end.signal,
    );
    try {
      spoil(index);
      expect((await client.list('')).index).toBe(null);
      await until(() => sources.at(-1)?.state === 'live', { what: 'live, with spoiled indexes' });
    } finally {
      proxy.resume();
      end.abort();
      await watching;
      client.close();
    }
  },
);

test('a refusal of a transaction that cannot be read leaves open whether it was made, and is no bug', async () => {
  const client = createConsulClient(settings());
  try {
    for (const body of ['<html>conflict</html>', '', '{"Errors":7}', 'null']) {
      proxy.answer({ status: 409, body });
      const outcome = await client
        .txn([{ verb: 'delete-cas', key: 'a', index: '1' }])
        .catch((error: unknown) => error);
      expect(outcome).toBeInstanceOf(ConsulError);
      expect((outcome as ConsulError).problem.code).toBe('unknown-result');
    }
  } finally {
    proxy.accept();
    client.close();
  }
});
