import { afterAll, expect, test } from 'vitest';
import { AcquireTimeoutError } from '@/packages/locks/src/deadline';
import { Lock } from '@/packages/locks/src/lock';
import { startConsul } from '@/test/support/consul';

const consul = await startConsul();
const client = consul.client({ maxPolls: 20 });
afterAll(() => consul.stop());

test('beside an acquire of the same owner that waits, each other one waits for as long as it said itself', async () => {
  const key = 'reentry/terms';
  const held = await new Lock(client, { key }).acquire();
  const own = new Lock(client, { key });
  const waiting = own.acquire({ reentrantKey: 'me' });
  const left = new AbortController();
  const leaving = own.acquire({ reentrantKey: 'me', signal: left.signal });
  const timed = own.acquire({ reentrantKey: 'me', timeoutMs: 200 });
  // None of them comes back for as long as the first one waits, unless it has terms of its own.
  const gone = expect(leaving).rejects.toThrow('left');
  const late = expect(timed).rejects.toBeInstanceOf(AcquireTimeoutError);
  expect(await own.tryAcquire(0, { reentrantKey: 'me' })).toBeNull();
  expect(await own.tryAcquire(200, { reentrantKey: 'me' })).toBeNull();
  left.abort(new Error('left'));
  await Promise.all([gone, late]);
  expect(own.holdCount('me')).toBe(0);

  await held.release();
  const first = await waiting;
  const again = await own.tryAcquire(0, { reentrantKey: 'me' });
  expect(again?.session).toBe(first.session);
  expect(own.holdCount('me')).toBe(2);
  await first.release();
  expect(await own.isLocked()).toBe(true);
  await again?.release();
  expect(await own.isLocked()).toBe(false);
});
