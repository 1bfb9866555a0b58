import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { budgets, createLimits } from '@/lib/server/http/limits';
import { ann, applyBody, openRecorded, planBody, post } from '@/test/support/recorded';
import { recordRefusal } from './refused-action';

const { rows, caller: before, turnedAway } = openRecorded();
const caller = before({ plan: vi.fn(), apply: vi.fn(), saw: vi.fn() });

test('a caller refused before their request was read is on record with the requested action', async () => {
  const runtime = turnedAway('192.0.2.9');
  const problem = { code: 'read-only', why: { code: 'read-only-mode', facts: {} } } as const;
  await recordRefusal(post(applyBody))(problem, null, runtime);
  await recordRefusal(post(planBody))(problem, null, runtime);
  await recordRefusal(post('{'))(problem, { ...caller, address: '192.0.2.7' } as never, runtime);
  expect(await rows()).toMatchObject([
    {
      who: { kind: 'anonymous' },
      address: '192.0.2.9',
      action: 'semaphore.resize',
      reason: 'more workers',
      detail: { outcome: 'read-only', why: { code: 'read-only-mode' } },
    },
    { who: ann, address: '192.0.2.7', action: null },
  ]);
});

test('the token of a sign-in that has ended is not on record either, where its owner pasted it', async () => {
  const secret = 'c0ffee00-0000-4000-8000-00000000beef';
  const runtime = turnedAway('192.0.2.9');
  const sealed = await runtime.seal.seal({
    id: 'a sign-in of the past',
    secret,
    who: { id: 'a-1', name: 'Ann' },
    endsAtMs: 1,
    idleEndsAtMs: 1,
  });
  const request = post({ ...applyBody, reason: `oops ${secret}` }, { cookie: `signalbox=${sealed}` });
  await recordRefusal(request)({ code: 'signed-out', why: null }, null, runtime);
  expect(await rows()).toMatchObject([{ reason: 'oops [redacted]', detail: { outcome: 'signed-out' } }]);
});

test("bodies beyond a budget are not read: neither a person's nor, beyond their own count, a stranger's", async () => {
  const tooOften = { code: 'busy', why: { code: 'too-often', facts: { retryAfterMs: 1_000 } } } as const;
  const ofAnn = post(applyBody);
  await recordRefusal(ofAnn)(tooOften, caller as never, turnedAway(null));
  expect(ofAnn.bodyUsed).toBe(false);
  const runtime = turnedAway('192.0.2.9');
  const limits = createLimits({ sizes: { ...budgets, refused: { ...budgets.refused, strangers: 1 } } });
  const [first, second] = [post(applyBody), post(applyBody)];
  for (const request of [first, second])
    await recordRefusal(request)({ code: 'signed-out', why: null }, null, { ...runtime, limits });
  expect([first.bodyUsed, second.bodyUsed]).toEqual([true, false]);
  expect(await rows()).toMatchObject([
    { who: ann, action: null, detail: { outcome: 'busy' } },
    { action: 'semaphore.resize' },
    { action: null, detail: { outcome: 'signed-out' } },
  ]);
});

test("another site's request is on record, and costs the person at this address nothing", async () => {
  const runtime = turnedAway('192.0.2.9');
  const took = vi.spyOn(runtime.limits, 'take');
  const otherSite = { code: 'forbidden', why: { code: 'other-site', facts: {} } } as const;
  await recordRefusal(post(applyBody))(otherSite, null, runtime);
  expect(took.mock.calls.map(([budget]) => budget)).toEqual(['refused']);
  expect(await rows()).toMatchObject([{ action: 'semaphore.resize', detail: { outcome: 'forbidden' } }]);
});

test('no caller fills the store by long names: the first of many are kept, with the count and a digest', async () => {
  const prefixes = Array.from({ length: 100 }, (_, i) => `${i}`.padStart(100, 'x'));
  const asked = { ...applyBody, action: { type: 'semaphore.prune', source: 'consul', prefixes } };
  const runtime = turnedAway(null);
  const problem = { code: 'signed-out', why: null } as const;
  await recordRefusal(post(asked))(problem, null, runtime);
  await recordRefusal(post(asked))(problem, caller as never, runtime);
  const [stranger, person] = await rows();
  for (const row of [stranger, person]) {
    expect(row).toMatchObject({ action: 'semaphore.prune', detail: { subjectsInAll: 100 } });
    expect(row?.subjects[0]).toBe(`semaphore:${prefixes[0]}`);
    expect(row?.subjects.join('').length).toBeLessThan(4_096);
    const all = JSON.stringify(prefixes.map((prefix) => `semaphore:${prefix}`));
    expect(row?.detail.subjectsDigest).toBe(createHash('sha256').update(all).digest('hex'));
  }
});

test('of what a stranger gives as a reason little is kept, and how long it was; of a person all of it', async () => {
  const asked = { ...applyBody, reason: 'x'.repeat(500) };
  const problem = { code: 'signed-out', why: null } as const;
  await recordRefusal(post(asked))(problem, null, turnedAway(null));
  await recordRefusal(post(asked))(problem, caller as never, turnedAway(null));
  const [stranger, person] = await rows();
  expect(stranger).toMatchObject({ reason: 'x'.repeat(80), detail: { reasonLength: 500 } });
  expect(person?.reason).toHaveLength(500);
  expect(person?.detail).not.toHaveProperty('reasonLength');
});

test('the addresses of one network of IPv6 share what they may have on record', async () => {
  const problem = { code: 'signed-out', why: null } as const;
  for (let i = 0; i < 60; i += 1) {
    await recordRefusal(post(applyBody))(problem, null, turnedAway(`2001:db8::${i}`));
  }
  expect((await rows()).filter(({ address }) => address !== null)).toHaveLength(20);
});
