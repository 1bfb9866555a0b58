import { beforeEach, expect, test, vi } from 'vitest';
import { sawNothing } from '@/lib/domain/actions/expect';
import type { Outcome } from '@/lib/domain/actions/plan';
import type { Right } from '@/lib/domain/identity';
import { answering } from '@/lib/server/http/http';
import { applyBody, openRecorded, post } from '@/test/support/recorded';
import { type ActionsCaller, answerAction } from './actions';

type Asked = ActionsCaller['viewpoint']['provider'];
const outcome: Outcome = { done: true, freed: [], after: null, warnings: [], parts: [] };
const provider = {
  plan: vi.fn<Asked['plan']>(),
  apply: vi.fn<Asked['apply']>(),
  saw: () => sawNothing,
  refuses: vi.fn<NonNullable<Asked['refuses']>>(),
  rights: vi.fn<NonNullable<Asked['rights']>>(),
};
const answered = (right: Right) => [{ right, needs: [] }];
const { lines, runtime, rows, caller: before } = openRecorded({ budget: { bytesMax: 200_000 } });
const caller = before(provider);
beforeEach(() => {
  provider.apply.mockResolvedValue(outcome);
  provider.refuses.mockReturnValue(null);
  provider.rights.mockResolvedValue(answered('yes'));
});
const ask = async (request = post(applyBody)) => {
  const response = await answering(() => answerAction(request, caller, runtime()));
  return { status: response.status, headers: response.headers, body: await response.json() };
};
const kinds = async () => (await rows()).map(({ kind }) => kind);

test('an action without the right to it leaves a refusal and no intent, and is not tried', async () => {
  provider.rights.mockResolvedValue(answered('no'));
  expect(await ask()).toMatchObject({
    status: 403,
    body: { code: 'forbidden', why: { code: 'token-refused' } },
  });
  expect(provider.apply).not.toHaveBeenCalled();
  expect(lines.map(({ outcome }) => outcome)).toEqual(['forbidden']);
  expect(await rows()).toMatchObject([{ kind: 'refused', detail: { outcome: 'forbidden' } }]);
});

test('a loop without a right is counted, not written one by one', async () => {
  provider.rights.mockResolvedValue(answered('no'));
  for (let i = 0; i < 60; i += 1) await ask();
  const all = await rows();
  expect(all).toHaveLength(21);
  expect(all.at(-1)?.detail).toMatchObject({ more: 40, codes: { forbidden: 40 } });
});

test('an unknown right leaves the last word to the backend', async () => {
  provider.rights.mockResolvedValue(answered('unknown'));
  expect(await ask()).toMatchObject({ status: 200 });
  expect(await kinds()).toEqual(['intent', 'outcome', 'followed']);
});

test('an action that the provider refuses without asking leaves no intent', async () => {
  const why = { code: 'not-of-plan', facts: { where: 'expect.verdict' } } as const;
  provider.refuses.mockReturnValue({ code: 'invalid', why });
  expect(await ask()).toMatchObject({
    status: 400,
    body: { code: 'invalid', why, detail: expect.stringContaining('expect.verdict') },
  });
  expect(provider.rights).not.toHaveBeenCalled();
  expect(await kinds()).toEqual(['refused']);
});

test('an apply whose caller left before its intent was written does not start', async () => {
  const left = new AbortController();
  provider.rights.mockImplementation(async () => {
    left.abort();
    return answered('unknown');
  });
  expect(await ask(new Request(post(applyBody), { signal: left.signal }))).toMatchObject({ status: 503 });
  expect(provider.apply).not.toHaveBeenCalled();
  expect(await kinds()).toEqual([]);
});

test('an apply whose caller leaves later is brought to its end', async () => {
  const left = new AbortController();
  provider.apply.mockImplementation(async () => {
    left.abort();
    return outcome;
  });
  await ask(new Request(post(applyBody), { signal: left.signal }));
  expect(await kinds()).toEqual(['intent', 'outcome', 'followed']);
});

test('beyond what one person may have under way an apply is busy, until one of them has ended', async () => {
  let go = () => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  provider.apply.mockImplementation(async () => {
    await gate;
    return outcome;
  });
  const under = Array.from({ length: 16 }, () => ask());
  await expect.poll(() => provider.apply.mock.calls.length).toBe(16);
  expect(await ask()).toMatchObject({
    status: 429,
    body: { code: 'busy', why: { code: 'too-many-actions', facts: { max: 16 } } },
  });
  go();
  expect((await Promise.all(under)).map(({ status }) => status)).toEqual(Array(16).fill(200));
  expect(await ask()).toMatchObject({ status: 200 });
  expect((await kinds()).filter((kind) => kind === 'intent')).toHaveLength(17);
});

test('a person whose rows have filled their share of the audit learns when to continue', async () => {
  const prefixes = Array.from({ length: 500 }, (_, i) => `${i}`.padStart(470, 'x'));
  const body = { ...applyBody, action: { type: 'semaphore.prune', source: 'consul', prefixes } };
  let answer = await ask(post(body));
  for (let i = 0; answer.status === 200 && i < 100; i += 1) answer = await ask(post(body));
  expect(answer).toMatchObject({ status: 429, body: { code: 'busy', why: { code: 'audit-budget' } } });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
});
