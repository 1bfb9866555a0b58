import { beforeEach, expect, test, vi } from 'vitest';
import type { Expect } from '@/lib/domain/actions/expect';
import type { Outcome } from '@/lib/domain/actions/plan';
import { ProblemError } from '@/lib/domain/problem';
import type { Planned } from '@/lib/domain/seam/provider';
import { sawOf } from '@/lib/providers/consul/actions/expectation';
import { recordRefusal } from '@/lib/server/entry/refused-action';
import { answering } from '@/lib/server/http/http';
import { createDiscreet } from '@/lib/server/process/scrub';
import { action, ann, applyBody, expected, openRecorded, planBody, post } from '@/test/support/recorded';
import { type ActionsCaller, answerAction } from './actions';
import { bodyBytesMax } from './request';

const planned: Planned = {
  plan: {
    summary: { code: 'set-limit', facts: { prefix: 'semaphore/a', before: 2, limit: 3 } },
    writes: [],
    touches: [],
    warnings: [{ code: 'restarts-fail', facts: { limit: 3 } }],
    undo: { code: 'none-delete', facts: {}, action: null },
    manual: [],
    friction: 'reason',
    confirmName: null,
  },
  expect: expected,
};
const outcome: Outcome = { done: true, freed: [], after: null, warnings: [], parts: [] };

const plan = vi.fn<ActionsCaller['viewpoint']['provider']['plan']>();
const apply = vi.fn<ActionsCaller['viewpoint']['provider']['apply']>();
const { audit, lines, runtime, acted, rows, caller: before, turnedAway } = openRecorded();
const saw = (_action: unknown, expect: Expect) => sawOf(expect as typeof expected);
const caller = before({ plan, apply, saw });
beforeEach(() => {
  plan.mockResolvedValue(planned);
  apply.mockResolvedValue(outcome);
});
const ask = async (request: Request) => {
  const response = await answering(() => answerAction(request, caller, runtime()));
  return { status: response.status, type: response.headers.get('content-type'), body: await response.json() };
};

test('a plan comes with what it read, and an apply with what was done', async () => {
  const saw = { sessions: [], verdict: null };
  expect(await ask(post(planBody))).toMatchObject({ status: 200, body: { ...planned, saw } });
  expect(await ask(post(applyBody))).toMatchObject({ status: 200, body: { outcome } });
  expect(apply.mock.calls[0]?.slice(0, 2)).toEqual([action, expected]);
});

test('English stands beside every code, for those who read JSON', async () => {
  const { body } = await ask(post(planBody));
  expect(body.plan).toMatchObject({
    summary: { code: 'set-limit', text: 'Set the limit of semaphore/a from 2 to 3.' },
    warnings: [{ code: 'restarts-fail', facts: { limit: 3 }, text: expect.stringContaining('ask for 3') }],
    undo: { code: 'none-delete', text: expect.any(String) },
  });
});

test('a refusal travels as a problem with its difference', async () => {
  const difference = [{ code: 'limit-changed', facts: { before: '3', now: '5' } }] as const;
  apply.mockResolvedValue({ code: 'stale', why: { code: 'changed-since', facts: {} }, difference });
  expect(await ask(post(applyBody))).toMatchObject({
    status: 409,
    type: 'application/problem+json',
    body: {
      code: 'stale',
      status: 409,
      why: { code: 'changed-since' },
      detail: expect.stringContaining('Nothing was written'),
      difference: [{ ...difference[0], text: 'limit was 3, now 5' }],
    },
  });
});

test('only JSON of bounded size is read', async () => {
  expect(await ask(post(applyBody, { 'content-type': 'text/plain' }))).toMatchObject({
    status: 415,
    body: { code: 'invalid' },
  });
  expect(await ask(post('{'))).toMatchObject({ status: 400, body: { code: 'invalid' } });
  const large = { ...planBody, reason: 'x'.repeat(bodyBytesMax) };
  expect(await ask(post(large))).toMatchObject({ status: 413, body: { code: 'invalid' } });
  const stream = new Request('http://127.0.0.1:3000/', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Blob(['x'.repeat(bodyBytesMax + 1)]).stream(),
    duplex: 'half',
  } as RequestInit);
  expect(await ask(stream)).toMatchObject({ status: 413 });
});

test.each([
  ['an unknown action', { ...planBody, action: { type: 'kv.put', key: 'a' } }],
  ['an unknown member', { ...planBody, token: 'x' }],
  ['a limit of no slots', { ...planBody, action: { ...action, limit: 0 } }],
  ['an empty prefix', { ...planBody, action: { ...action, prefix: '' } }],
  ['an apply without what the plan saw', { mode: 'apply', action, reason: 'r' }],
  ['a reason too long', { ...applyBody, reason: 'x'.repeat(501) }],
  ['an apply without a reason', { ...applyBody, reason: '  ' }],
])('%s is refused before Consul is asked', async (_, body) => {
  expect(await ask(post(body))).toMatchObject({ status: 400, body: { code: 'invalid' } });
  expect(plan).not.toHaveBeenCalled();
  expect(apply).not.toHaveBeenCalled();
});

test('pruning needs no reason', async () => {
  const prune = { type: 'semaphore.prune', source: 'consul', prefixes: ['semaphore/a'] };
  expect(await ask(post({ ...applyBody, action: prune, reason: '' }))).toMatchObject({ status: 200 });
});

test('the log has the intent and the outcome of an apply, with who it was about and why', async () => {
  apply.mockResolvedValue({ code: 'not-held', why: { code: 'nobody-holds', facts: {} } });
  await ask(post(applyBody));
  expect(lines).toMatchObject([
    { mode: 'apply', action: 'semaphore.resize', outcome: 'begun', beforeIndexes: ['81'] },
    {
      mode: 'apply',
      subjects: ['semaphore:semaphore/a'],
      limit: 3,
      reason: 'more workers',
      outcome: 'not-held',
    },
  ]);
});

test('on record are the intent with what was seen, then what came of it', async () => {
  apply.mockResolvedValue({ ...outcome, freed: [{ source: 'consul', kind: 'lock', key: 'b' }] });
  await ask(post(applyBody));
  const all = await rows();
  expect(all.map(({ kind }) => kind)).toEqual(['intent', 'outcome', 'followed']);
  expect(new Set(all.map(({ thread }) => thread)).size).toBe(1);
  for (const row of all)
    expect(row).toMatchObject({
      who: ann,
      address: '192.0.2.7',
      action: 'semaphore.resize',
      subjects: ['semaphore:semaphore/a'],
      reason: 'more workers',
    });
  expect(all[0]?.detail).toMatchObject({ limit: 3, saw: { entries: [{ index: '81', session: null }] } });
  expect(all[1]?.detail).toMatchObject({ outcome: 'done', freed: ['lock:b'], limit: 3 });
  expect(acted.mock.calls).toEqual([['semaphore.resize', 'apply', 'done']]);
});

test('a refusal by the backend is the outcome, with the difference', async () => {
  const difference = [{ code: 'limit-changed', facts: { before: '3', now: '5' } }] as const;
  apply.mockResolvedValue({ code: 'stale', why: { code: 'changed-since', facts: {} }, difference });
  await ask(post(applyBody));
  const all = await rows();
  expect(all.map(({ kind }) => kind)).toEqual(['intent', 'outcome']);
  expect(all[1]?.detail).toMatchObject({ outcome: 'stale', why: { code: 'changed-since' }, difference });
});

test('a bug of ours is on record as an unknown result', async () => {
  apply.mockRejectedValue(new Error('bug'));
  await expect(ask(post(applyBody))).rejects.toThrow('bug');
  expect((await rows())[1]).toMatchObject({ kind: 'outcome', detail: { outcome: 'unknown-result' } });
});

test('nothing is applied that could not be put on record first, and the refusal says so', async () => {
  const refusal = new ProblemError({
    code: 'unavailable',
    why: { code: 'audit-not-written', facts: {} },
  });
  const append = vi.spyOn(audit, 'append').mockRejectedValueOnce(refusal);
  expect(await ask(post(applyBody))).toMatchObject({
    status: 503,
    body: { code: 'unavailable', why: { code: 'audit-not-written' } },
  });
  append.mockRestore();
  expect(apply).not.toHaveBeenCalled();
  expect(await rows()).toMatchObject([
    { kind: 'refused', action: 'semaphore.resize', detail: { outcome: 'unavailable' } },
  ]);
});

test('the answer is the truth about the backend even where its row cannot be written, which is tried again', async () => {
  const append = vi.spyOn(audit, 'append');
  apply.mockImplementation(async () => {
    append.mockRejectedValueOnce(new Error('away'));
    return outcome;
  });
  expect(await ask(post(applyBody))).toMatchObject({ status: 200, body: { outcome } });
  append.mockRestore();
  expect(lines).toContainEqual(expect.objectContaining({ kind: 'outcome', message: 'away' }));
  expect((await rows()).map(({ kind }) => kind).sort()).toEqual(['followed', 'intent', 'outcome']);
});

test('a refused apply is on record as far as it was understood, a refused plan is not', async () => {
  await ask(post({ ...applyBody, reason: ' ' }));
  await ask(post({ mode: 'apply', action, reason: 'r', token: 'x' }));
  await ask(post({ ...applyBody, action: { type: 'kv.put', key: 'a' } }));
  await ask(post({ ...planBody, token: 'x' }));
  await ask(post('{'));
  expect(await rows()).toMatchObject([
    {
      kind: 'refused',
      action: 'semaphore.resize',
      detail: { outcome: 'invalid', why: { code: 'reason-needed' } },
    },
    { kind: 'refused', action: 'semaphore.resize', reason: 'r', who: ann },
    { kind: 'refused', action: null, subjects: [] },
    { kind: 'refused', action: null, detail: { why: { code: 'not-json' } } },
  ]);
});

test('a flood of refusals is counted, not written one by one', async () => {
  for (let i = 0; i < 300; i += 1) await ask(post({ ...applyBody, reason: '' }));
  const all = await rows();
  expect(all).toHaveLength(21);
  expect(all.at(-1)?.detail).toEqual({ outcome: 'invalid', more: 280, codes: { invalid: 280 } });
});

test('neither the token of a header nor an unexpected member of the body is on record', async () => {
  const secret = 'c0ffee00-0000-4000-8000-00000000beef';
  await ask(post({ ...applyBody, token: secret }, { authorization: `Bearer ${secret}` }));
  await ask(post(applyBody, { 'x-consul-token': secret }));
  const all = await rows();
  expect(all.length).toBeGreaterThan(2);
  expect(JSON.stringify([all, lines])).not.toContain(secret);
});

test("a person's own token, pasted where they speak, is neither on record nor in the log", async () => {
  const secret = 'c0ffee00-0000-4000-8000-00000000beef';
  const ben = { ...caller, discreet: createDiscreet([secret]) };
  const said = { ...applyBody, reason: `with ${secret.toUpperCase()} as before` };
  const entries = [{ ...expected.entries[0], seen: `token ${secret}` }];
  await answerAction(post({ ...said, expect: { ...expected, entries } }), ben, runtime());
  const destroy = { type: 'session.destroy', source: 'consul', sessionId: secret };
  await answering(() => answerAction(post({ ...said, action: destroy, reason: '' }), ben, runtime()));
  const problem = { code: 'busy', why: null } as const;
  const unknown = post(said, { authorization: `Bearer ${secret}` });
  await recordRefusal(unknown)(problem, null, turnedAway(null));
  await recordRefusal(post(said))(problem, ben as never, turnedAway(null));
  const all = await rows();
  expect(all.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['intent', 'outcome', 'followed', 'refused', 'refused', 'refused']),
  );
  expect(all[0]).toMatchObject({ reason: 'with [redacted] as before', subjects: ['semaphore:semaphore/a'] });
  expect(JSON.stringify([all, lines]).toLowerCase()).not.toContain(secret);
});

test("among any number of refused strangers, a person's refusal has a row of its own", async () => {
  const problem = { code: 'signed-out', why: null } as const;
  for (let i = 0; i < 120; i += 1)
    runtime().record.refused({
      who: { kind: 'anonymous' },
      address: `192.0.2.${i}`,
      action: null,
      reason: '',
      problem,
    });
  await ask(post({ ...applyBody, reason: '' }));
  expect((await rows()).filter(({ who }) => who.kind === 'token')).toMatchObject([
    { kind: 'refused', who: ann, action: 'semaphore.resize' },
  ]);
});
