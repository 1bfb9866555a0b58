import { expect, test } from 'vitest';
import { createAccount, createDutyCycle } from './duty-cycle';

test('a cheap read rests the shortest time, so that several writes of one change are taken together', () => {
  const duty = createDutyCycle();
  expect(duty.restMs()).toBe(30);
  duty.measured(2);
  expect(duty.restMs()).toBe(30);
});

test('a read that costs more than rests in proportion takes a fifth of the time at the most', () => {
  const duty = createDutyCycle();
  duty.measured(100);
  expect(duty.restMs()).toBe(400);
});

test('a loaded agent gets ten times the cost as rest, and four times again when it is quiet', () => {
  const duty = createDutyCycle();
  duty.measured(20);
  expect(duty.costly()).toBe(false);
  duty.measured(60);
  expect(duty.restMs()).toBe(240);
  expect(duty.costly()).toBe(true);
  duty.measured(60);
  expect(duty.restMs()).toBe(600);
  expect(duty.costly()).toBe(true);
  duty.measured(20);
  expect(duty.restMs()).toBe(80);
  expect(duty.costly()).toBe(false);
});

test('a prefix that has grown for good does not pass for a loaded agent for ever', () => {
  const duty = createDutyCycle();
  duty.measured(20);
  for (let n = 0; n < 100; n += 1) duty.measured(100);
  expect(duty.restMs()).toBe(400);
});

test('one read that met a pause does not blind the watch; two in a row are load', () => {
  const duty = createDutyCycle();
  duty.measured(10);
  duty.measured(7_000);
  expect(duty.restMs()).toBe(40);
  duty.measured(7_000);
  expect(duty.restMs()).toBe(4_000);
  duty.measured(10);
  expect(duty.restMs()).toBe(40);
});

test('the first read of a watch may meet an election, and owes nothing for it', () => {
  const duty = createDutyCycle();
  duty.measured(7_000);
  expect(duty.restMs()).toBe(30);
  duty.measured(10);
  expect(duty.restMs()).toBe(40);
});

test('several that share an account take the share of one, in the order in which they asked', async () => {
  const costMs = 12;
  let nowMs = 1_000;
  const until: { resource: number; atMs: number }[] = [];
  const clock = {
    now: () => nowMs,
    pause: async (ms: number) => {
      until.push({ resource: until.length, atMs: nowMs + ms });
    },
  };
  const account = createAccount(clock);
  const reads = 200;
  // All at once, then each as its rest ends: read and ask again.
  const duties = Array.from({ length: 10 }, () => createDutyCycle());
  for (const duty of duties) {
    duty.measured(costMs);
  }
  const shares = duties.map((duty) => account.join(duty));
  for (const share of shares) share.rest(new AbortController().signal, { rows: 300 });
  const order = until.splice(0).map(({ atMs }) => atMs);
  expect(order, 'first come, first served').toEqual([...order].sort((a, b) => a - b));
  const queue = order.map((atMs, resource) => ({ resource, atMs }));
  for (let n = 0; n < reads; n += 1) {
    const next = queue.shift();
    nowMs = Math.max(nowMs, next?.atMs ?? 0) + costMs;
    duties[next?.resource ?? 0]?.measured(costMs);
    shares[next?.resource ?? 0]?.rest(new AbortController().signal, { rows: 300 });
    const [asked] = until.splice(0);
    queue.push({ resource: next?.resource ?? 0, atMs: asked?.atMs ?? 0 });
  }
  const share = (reads * costMs) / (nowMs - (order[0] ?? 0));
  expect(share).toBeGreaterThan(0.17);
  expect(share).toBeLessThanOrEqual(0.21);
});

test('at any number of sharers and any cost, none waits for more than 3 s for the others; each learns its rest', async () => {
  const waits: number[] = [];
  const told: Promise<number>[] = [];
  const account = createAccount({ now: () => 1_000, pause: async (ms) => void waits.push(ms) });
  for (let n = 0; n < 30; n += 1) {
    const duty = createDutyCycle();
    duty.measured(100);
    told.push(account.join(duty).rest(new AbortController().signal, { rows: 300 }));
  }
  expect(waits.slice(0, 2)).toEqual([400, 900]);
  expect(Math.max(...waits)).toBe(3_000);
  expect(await Promise.all(told)).toEqual(waits);
});

test('reads that only seem to cost much, as on a machine short of processors, do not make a change a second old', async () => {
  let nowMs = 1_000;
  const waits: number[] = [];
  const account = createAccount({ now: () => nowMs, pause: async (ms) => void waits.push(ms) });
  const all = Array.from({ length: 16 }, () => {
    const duty = createDutyCycle();
    duty.measured(2);
    return { duty, share: account.join(duty) };
  });
  for (let n = 0; n < 400; n += 1) {
    const { duty, share } = all[n % all.length] as (typeof all)[number];
    // Four of five take many times their quiet cost.
    duty.measured(n % 5 === 0 ? 2 : 20 + ((n * 7919) % 200));
    share.rest(new AbortController().signal, { rows: 300 });
    nowMs += 20;
  }
  expect(Math.max(...waits)).toBeLessThan(700);
});

test('one that has left an account is not waited for', () => {
  const waits: number[] = [];
  const account = createAccount({ now: () => 1_000, pause: async (ms) => void waits.push(ms) });
  const shares = Array.from({ length: 5 }, () => {
    const duty = createDutyCycle();
    duty.measured(40);
    return account.join(duty);
  });
  const { signal } = new AbortController();
  for (let n = 0; n < 4; n += 1) for (const share of shares) share.rest(signal, { rows: 300 });
  expect(waits.at(-1)).toBe(2_000);
  for (const share of shares.slice(1)) share.leave();
  shares[0]?.rest(signal, { rows: 300 });
  expect(waits.at(-1)).toBe(400);
});
