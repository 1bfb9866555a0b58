/** The cost of a change for Consul: the questions that a watch asks for it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { systemClock } from '@/lib/providers/consul/client/clock';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { startWatching } from './watching';

let consul: TestConsul;
beforeAll(async () => {
  consul = await startConsul();
});
afterAll(() => consul.stop());

/** The client, and what was asked of it beside the heartbeats: `list`, or `list wait` for what blocks. */
function counted(client: ConsulClient): { client: ConsulClient; asked: string[] } {
  const asked: string[] = [];
  const note = (name: string, options: { block?: object } | undefined) =>
    void asked.push(options?.block === undefined ? name : `${name} wait`);
  return {
    asked,
    client: {
      ...client,
      list: (prefix, options) => {
        note('list', options);
        return client.list(prefix, options);
      },
      get: (key, options) => {
        note('get', options);
        return client.get(key, options);
      },
      sessions: (options) => {
        note('sessions', options);
        return client.sessions(options);
      },
      session: (id, options) => {
        // The heartbeat's question is after one that there never is.
        if (!/^[0-]+$/.test(id)) note('session', options);
        return client.session(id, options);
      },
    },
  };
}

test('a change now and then costs the one question that waits for the next, and every eighth a timed read beside it', async () => {
  const { client, asked } = counted(consul.client());
  const key = 'questions/lock';
  const put = async (value: string) => {
    const answer = await fetch(`http://${consul.address}/v1/kv/${key}?flags=3304740253564472344`, {
      method: 'PUT',
      body: value,
    });
    expect(answer.ok).toBe(true);
  };
  await put('first');
  // Its time passes between two changes only. The cost of reads decides how many are timed, and here none costs
  // anything: on a slow machine they would be timed more often, and rightly.
  let nowMs = systemClock.now();
  const clock = { ...systemClock, now: () => nowMs };
  const watching = startWatching(client, ['questions/'], [], undefined, clock);
  await watching.reaches('live');
  const waits = () => asked.filter((one) => one === 'list wait').length;
  await until(() => waits() > 0 && asked.includes('sessions wait'), { what: 'all to be waited for' });
  const changes = 24;
  const before = asked.length;
  for (let n = 0; n < changes; n += 1) {
    const had = waits();
    nowMs += 1_000;
    await put(`value ${n}`);
    await until(() => watching.lock(key)?.value?.content === `value ${n}` && waits() > had, {
      what: `value ${n}, and the next wait`,
    });
  }
  const tally = (name: string) => asked.slice(before).filter((one) => one === name).length;
  expect(tally('list wait')).toBe(changes);
  // One of eight, from wherever in the row of eight this began.
  expect(tally('list')).toBe(changes / 8);
  expect(tally('get') + tally('session') + tally('sessions')).toBe(0);
  await watching.stop();
});
