import { afterEach, expect, test, vi } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { applyAction, planAction } from './api';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const action: Action = { type: 'session.destroy', source: 'consul', sessionId: 'x' };
const request = { action, expect: { entries: [], sessions: ['x'] }, reason: 'why' };
const signal = new AbortController().signal;
const answerWith = (answer: () => Response | Promise<Response>) =>
  vi.stubGlobal('fetch', async () => answer());
const problem = (code: string, status: number) =>
  Response.json({ code, detail: 'd' }, { status, headers: { 'content-type': 'application/problem+json' } });

test('a problem comes back as it is', async () => {
  answerWith(() => problem('no-leader', 503));
  expect(await planAction(action, '', signal)).toMatchObject({ code: 'no-leader' });
  expect(await applyAction(request, signal)).toMatchObject({ code: 'no-leader' });
});

test('a plan that could not be asked for has changed nothing', async () => {
  answerWith(() => Promise.reject(new TypeError('network')));
  expect(await planAction(action, '', signal)).toMatchObject({ code: 'unavailable' });
});

test.each([
  ['the link breaks', () => Promise.reject(new TypeError('network'))],
  ['a proxy answers in its own words', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ['the answer is cut off', () => new Response('{"outcome":', { status: 200 })],
])('once it is sent, no answer says that nothing was written: %s', async (_what, answer) => {
  answerWith(answer);
  expect(await applyAction(request, signal)).toMatchObject({ code: 'unknown-result' });
});

test('a request that was refused before it was read was not done', async () => {
  answerWith(() => new Response('', { status: 403 }));
  expect(await applyAction(request, signal)).toMatchObject({ code: 'forbidden' });
  answerWith(() => new Response('', { status: 413 }));
  expect(await applyAction(request, signal)).toMatchObject({ code: 'invalid' });
});

test('an abort is no failure to report: it rejects', async () => {
  const abort = new AbortController();
  answerWith(() => {
    abort.abort();
    return Promise.reject(new DOMException('aborted', 'AbortError'));
  });
  await expect(planAction(action, '', abort.signal)).rejects.toThrow();
});

/** A network that drops packets: neither an answer nor a failure until the caller gives up. */
const swallow = (head: Response | null) =>
  vi.stubGlobal('fetch', (_url: string, { signal: end }: { signal: AbortSignal }) => {
    const givenUp = new Promise<never>((_resolve, reject) => {
      end.addEventListener('abort', () => reject(end.reason));
    });
    if (head === null) return givenUp;
    return Promise.resolve(Object.assign(head, { json: () => givenUp }));
  });

test.each([
  ['nothing at all', () => null],
  ['a head without its body', () => new Response('', { status: 200 })],
])(
  'an apply that brings %s ends, once the server is done in any case, with an unknown result',
  async (_what, head) => {
    vi.useFakeTimers();
    swallow(head());
    let answer: unknown = 'none yet';
    void applyAction(request, signal).then((come) => {
      answer = come;
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(answer).toBe('none yet');
    await vi.advanceTimersByTimeAsync(30_000);
    expect(answer).toMatchObject({ code: 'unknown-result' });
    expect(vi.getTimerCount()).toBe(0);
  },
);

test('an unanswered plan ends as well, and has changed nothing', async () => {
  vi.useFakeTimers();
  swallow(null);
  const planning = planAction(action, '', signal);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await planning).toMatchObject({ code: 'unavailable' });
});

test('a cancelled plan rejects at once, also without an answer', async () => {
  swallow(null);
  const abort = new AbortController();
  const planning = planAction(action, '', abort.signal);
  abort.abort();
  await expect(planning).rejects.toThrow();
});
