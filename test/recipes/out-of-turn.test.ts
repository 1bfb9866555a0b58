/** Semaphores whose slots are taken out of turn (`fair: false`), on a real Consul. */
import { afterAll, expect, test } from 'vitest';
import { Semaphore } from '@/packages/locks/src/semaphore';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { another, isHandover } from './process';
import { remainsOf } from './remains';

const consul = await startConsul();
const client = consul.client({ maxPolls: 60 });
const { nothingLeft } = remainsOf(client);
afterAll(() => consul.stop());

test('where slots are taken out of turn, too, only the first of the queue is handed one', async () => {
  for (const fair of [true, false]) {
    const prefix = `handover/unfair-beside-${fair}`;
    const { own, writes, follows } = another(client);
    const mine = new Semaphore(own, { prefix, limit: 1, owner: prefix, fair: false });
    const theirs = new Semaphore(another(client).own, { prefix, limit: 1, owner: prefix, fair });
    const holder = await mine.acquire();
    const there = theirs.run(async () => {});
    await until(async () => (await mine.queueLength()) === 1, { what: 'one waits in another process' });
    const here = mine.run(async () => {});
    await until(() => follows() > 0, { what: 'one waits here' });
    writes.length = 0;
    await holder.release();
    await Promise.all([there, here]);
    expect(writes.filter(isHandover)).toEqual([]);
    await nothingLeft(prefix);
  }
});

test('where slots are taken out of turn a process that uses one all the time does not keep it from others', async () => {
  const prefix = 'handover/unfair';
  let stop = false;
  let cycles = 0;
  const { own } = another(client);
  const busy = [0, 1].map(async () => {
    const semaphore = new Semaphore(own, { prefix, limit: 1, owner: prefix, fair: false });
    while (!stop) {
      await semaphore.run(() => new Promise((resolve) => setTimeout(resolve, 50)));
      cycles += 1;
    }
  });
  await until(() => cycles > 3, { what: 'they change hands' });
  const other = new Semaphore(another(client).own, { prefix, limit: 1, owner: prefix, fair: false });
  let got = 0;
  const beside = (async () => {
    while (!stop)
      await other.run(async () => {
        got += 1;
      });
  })();
  await until(() => got >= 8, { what: 'it gets the slot again and again', timeoutMs: 60_000 }).finally(() => {
    stop = true;
  });
  await Promise.all([...busy, beside]);
  await nothingLeft(prefix);
});
