import { afterEach, expect, test, vi } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import { askRight, rightsMax } from './rights';

afterEach(() => vi.unstubAllGlobals());

const destroy = (n: number): Action => ({ type: 'session.destroy', source: 'consul', sessionId: String(n) });
/** Answers each request by its question, and records them. */
function server(answer: (actions: readonly { sessionId: string }[]) => unknown) {
  const asked: { sessionId: string }[][] = [];
  vi.stubGlobal('fetch', async (_path: string, init: RequestInit) => {
    const { actions } = JSON.parse(String(init.body)) as { actions: { sessionId: string }[] };
    asked.push(actions);
    return Response.json(answer(actions));
  });
  return asked;
}

test('questions of one moment are one request, each once, and answers find their questions', async () => {
  const asked = server((actions) => ({
    rights: actions.map(({ sessionId }) => (sessionId === '1' ? 'no' : 'yes')),
    needs: actions.map(({ sessionId }) => [{ code: 'end-session', facts: { node: `node-${sessionId}` } }]),
  }));
  const rights = await Promise.all([destroy(1), destroy(2), destroy(1)].map(askRight));
  const need = (n: number) => [{ code: 'end-session', facts: { node: `node-${n}` } }];
  expect(rights).toEqual([
    { right: 'no', needs: need(1) },
    { right: 'yes', needs: need(2) },
    { right: 'no', needs: need(1) },
  ]);
  expect(asked.map((batch) => batch.length)).toEqual([2]);
});

test('more than the server takes at once goes in several requests', async () => {
  const asked = server((actions) => ({ rights: actions.map(() => 'yes') }));
  const rights = await Promise.all(Array.from({ length: 150 }, (_, n) => askRight(destroy(n))));
  expect(new Set(rights.map(({ right }) => right))).toEqual(new Set(['yes']));
  expect(asked.map((batch) => batch.length)).toEqual([rightsMax, rightsMax, 150 - 2 * rightsMax]);
});

test.each([
  ['a refusal', () => Response.json({ code: 'busy' }, { status: 429 })],
  ['no answer', () => Promise.reject(new TypeError('network'))],
  ['fewer answers than questions', () => Response.json({ rights: [] })],
  ['an answer that is none', () => Response.json({ rights: ['maybe'] })],
])('a missing answer is no denial: %s', async (_what, answer) => {
  vi.stubGlobal('fetch', async () => answer());
  expect(await askRight(destroy(1))).toEqual({ right: 'unknown', needs: [] });
});
