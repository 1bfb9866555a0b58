import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outcome } from '@/lib/domain/plan';
import type { Planned } from '@/lib/domain/provider';
import { type ActionsRuntime, answerAction, bodyBytesMax } from './actions';

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

const plan = vi.fn<ActionsRuntime['provider']['plan']>();
const apply = vi.fn<ActionsRuntime['provider']['apply']>();
const lines: Record<string, unknown>[] = [];
const log = {
  info: (line: Record<string, unknown>) => void lines.push(line),
  error: (line: Record<string, unknown>) => void lines.push(line),
} as unknown as ActionsRuntime['log'];
const runtime: ActionsRuntime = {
  provider: { plan, apply },
  log,
  actionsAllowed: { allowed: true, hosts: 'loopback' },
};

beforeEach(() => {
  plan.mockResolvedValue(planned);
  apply.mockResolvedValue(outcome);
});
afterEach(() => {
  vi.resetAllMocks();
  lines.length = 0;
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
const ask = async (request: Request, over: Partial<ActionsRuntime> = {}) => {
  const response = await answerAction(request, { ...runtime, ...over });
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

test('nothing is planned or applied where writes are off', async () => {
  const off = {
    actionsAllowed: { allowed: false, reason: { code: 'actions-off', facts: {} } },
  } as const;
  expect(await ask(post(applyBody), off)).toMatchObject({
    status: 403,
    body: { code: 'read-only', why: { code: 'actions-off' } },
  });
  expect(apply).not.toHaveBeenCalled();
});

test.each([
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'http://evil.example' }],
  ['a sibling site', { 'sec-fetch-site': 'same-site' }],
  ['another origin from a browser without Sec-Fetch-Site', { origin: 'http://127.0.0.1:4000' }],
  ['an opaque origin', { origin: 'null' }],
])('a request of %s is refused', async (_, headers) => {
  expect(await ask(post(applyBody, headers))).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  expect(apply).not.toHaveBeenCalled();
});

test.each([
  ['this page', { 'sec-fetch-site': 'same-origin' }],
  ['this origin', { origin: 'http://127.0.0.1:3000' }],
  ['a program', {}],
])('a request of %s is taken', async (_, headers) => {
  expect(await ask(post(applyBody, headers))).toMatchObject({ status: 200 });
});

test.each([
  ['rebound.example:3000', 403],
  ['127.0.0.1.example', 403],
  ['localhost:3000', 200],
  ['[::1]:3000', 200],
  ['signalbox.localhost', 200],
])('with actions open to this machine only, host %s gets %d', async (host, status) => {
  const headers = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
  expect((await ask(post(applyBody, headers))).status).toBe(status);
  const any = { actionsAllowed: { allowed: true, hosts: 'any' } } as const;
  expect((await ask(post(applyBody, headers), any)).status).toBe(200);
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
