import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outcome } from '@/lib/domain/plan';
import { ProblemError } from '@/lib/domain/problem';
import type { Planned } from '@/lib/domain/provider';
import { createAuditBook } from '@/lib/server/audit/book';
import { answering } from '@/lib/server/http';
import { createSeal } from '@/lib/server/identity/seal';
import { budgets, createLimits } from '@/lib/server/limits';
import type { Runtime } from '@/lib/server/runtime';
import { createDiscreet } from '@/lib/server/scrub';
import { openStore } from '@/lib/server/store/store';
import {
  type ActionsCaller,
  type ActionsRuntime,
  answerAction,
  bodyBytesMax,
  recordRefusal,
} from './actions';
import { type ActionRecord, createActionRecord } from './record';

const action = { type: 'semaphore.resize', prefix: 'semaphore/a', limit: 3 } as const;
const expected = { entries: [{ key: 'semaphore/a/.lock', modifyIndex: '81', session: null }], sessions: [] };
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
const acted = vi.fn<ActionsRuntime['metrics']['acted']>();
const lines: Record<string, unknown>[] = [];
const log = {
  info: (line: Record<string, unknown>) => void lines.push(line),
  warn: (line: Record<string, unknown>) => void lines.push(line),
  error: (line: Record<string, unknown>) => void lines.push(line),
} as unknown as ActionsRuntime['log'] & Runtime['log'];

const folder = mkdtempSync(join(tmpdir(), 'signalbox-actions-'));
const store = openStore({ folder });
const audit = createAuditBook({ store, replica: 'here', now: Date.now });
let record: ActionRecord;
/** Rows that this test has written, oldest first. */
let floor = 0;
const rows = async () => {
  await record.close();
  const read = await audit.read({ below: null, limit: 100 });
  return read.filter(({ seq }) => seq > floor).reverse();
};
/** A view that shows nothing, so that nothing is seen to follow. */
const hub = {
  snapshot: () => ({
    source: { state: 'down', lastContactMs: null },
    locks: [],
    semaphores: [],
    sessions: [],
  }),
  subscribe: () => ({ leave: () => {} }),
} as unknown as ActionsCaller['viewpoint']['hub'];
const ann = { kind: 'token', id: 'a-1', name: 'Ann' } as const;
const caller: ActionsCaller = {
  identity: ann,
  address: '192.0.2.7',
  discreet: (value) => value,
  viewpoint: { provider: { plan, apply }, hub },
};
/** What is asked of the server about somebody who was turned away. */
const turnedAway = (address: string | null) =>
  ({
    arrivals: () => ({ address, secure: false, person: null }),
    seal: createSeal(['a key of the server']),
    limits: createLimits(),
    record,
    metrics: { acted },
  }) as unknown as Runtime;
beforeEach(async () => {
  floor = (await audit.read({ below: null, limit: 1 }))[0]?.seq ?? 0;
  record = createActionRecord({ audit, log, now: Date.now, followMs: 10 });
  plan.mockResolvedValue(planned);
  apply.mockResolvedValue(outcome);
});
afterEach(async () => {
  await record.close();
  vi.resetAllMocks();
  lines.length = 0;
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

function post(body: unknown, headers: Record<string, string> = {}): Request {
  return new Request('http://127.0.0.1:3000/api/v1/actions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', host: '127.0.0.1:3000', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
const planBody = { mode: 'plan', action, reason: '' };
const applyBody = { mode: 'apply', action, reason: 'more workers', expect: expected };
const ask = async (request: Request) => {
  const response = await answering(() => answerAction(request, caller, { record, metrics: { acted }, log }));
  return { status: response.status, type: response.headers.get('content-type'), body: await response.json() };
};

test('a plan comes with what it read, and an apply with what was done', async () => {
  expect(await ask(post(planBody))).toMatchObject({ status: 200, body: planned });
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
      detail: expect.stringContaining('nothing was written'),
      difference: [{ ...difference[0], text: 'limit was 3, is 5 now' }],
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
  const prune = { type: 'semaphore.prune', prefixes: ['semaphore/a'] };
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
  apply.mockResolvedValue({ ...outcome, freed: [{ kind: 'lock', key: 'b' }] });
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

test('what the backend refused is the outcome, with the difference', async () => {
  const difference = [{ code: 'limit-changed', facts: { before: '3', now: '5' } }] as const;
  apply.mockResolvedValue({ code: 'stale', why: { code: 'changed-since', facts: {} }, difference });
  await ask(post(applyBody));
  const all = await rows();
  expect(all.map(({ kind }) => kind)).toEqual(['intent', 'outcome']);
  expect(all[1]?.detail).toMatchObject({ outcome: 'stale', why: { code: 'changed-since' }, difference });
});

test('a mistake of ours is on record as a result that nobody knows', async () => {
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

test('who was refused before their request was read is on record with what they asked for', async () => {
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

test('a flood of refusals is counted, not written one by one', async () => {
  for (let i = 0; i < 300; i += 1) await ask(post({ ...applyBody, reason: '' }));
  const all = await rows();
  expect(all).toHaveLength(21);
  expect(all.at(-1)?.detail).toEqual({ outcome: 'invalid', more: 280, codes: { invalid: 280 } });
});

test('neither the token of a header nor a member of the body that nobody asked for is on record', async () => {
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
  const runtime = { record, metrics: { acted }, log };
  const said = { ...applyBody, reason: `with ${secret.toUpperCase()} as before` };
  const entries = [{ ...expected.entries[0], seen: `token ${secret}` }];
  await answerAction(post({ ...said, expect: { ...expected, entries } }), ben, runtime);
  const destroy = { type: 'session.destroy', sessionId: secret };
  await answering(() => answerAction(post({ ...said, action: destroy, reason: '' }), ben, runtime));
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

test('what comes too often is not read: neither of a person nor, beyond their own count, of a stranger', async () => {
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

test('what another site sends is on record, and takes nothing from what the person at this address may ask', async () => {
  const runtime = turnedAway('192.0.2.9');
  const took = vi.spyOn(runtime.limits, 'take');
  const otherSite = { code: 'forbidden', why: { code: 'other-site', facts: {} } } as const;
  await recordRefusal(post(applyBody))(otherSite, null, runtime);
  expect(took.mock.calls.map(([budget]) => budget)).toEqual(['refused']);
  expect(await rows()).toMatchObject([{ action: 'semaphore.resize', detail: { outcome: 'forbidden' } }]);
});

test('however many strangers are refused, what a person is refused has a row of its own', async () => {
  const problem = { code: 'signed-out', why: null } as const;
  for (let i = 0; i < 120; i += 1)
    record.refused({
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

test('a stranger cannot fill the store by what they name: of too much only the number is kept', async () => {
  const prefixes = Array.from({ length: 100 }, (_, i) => `${i}`.padStart(100, 'x'));
  const asked = { ...applyBody, action: { type: 'semaphore.prune', prefixes } };
  const runtime = turnedAway(null);
  const problem = { code: 'signed-out', why: null } as const;
  await recordRefusal(post(asked))(problem, null, runtime);
  await recordRefusal(post(asked))(problem, caller as never, runtime);
  const [stranger, person] = await rows();
  expect(stranger).toMatchObject({ action: 'semaphore.prune', subjects: [], detail: { subjectsInAll: 100 } });
  expect(person?.subjects).toHaveLength(100);
});

test('the addresses of one network of IPv6 share what they may have on record', async () => {
  const problem = { code: 'signed-out', why: null } as const;
  for (let i = 0; i < 60; i += 1) {
    await recordRefusal(post(applyBody))(problem, null, turnedAway(`2001:db8::${i}`));
  }
  expect((await rows()).filter(({ address }) => address !== null)).toHaveLength(20);
});
