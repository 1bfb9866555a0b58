import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isProblem } from '@/lib/domain/problem';
import { askSession, signIn, signOut, touchSession } from './session';

interface Sent {
  readonly method: string;
  readonly off: () => boolean;
  readonly answer: (body: unknown) => void;
}
let sent: Sent[];
const never = () => new AbortController().signal;
const visitor = { identity: { kind: 'anonymous' }, maySee: true };

/** A network that answers on demand, and drops aborted calls. */
beforeEach(() => {
  sent = [];
  vi.stubGlobal('fetch', (_path: string, { method, signal }: RequestInit & { signal: AbortSignal }) => {
    return new Promise<Response>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      sent.push({
        method: method ?? '',
        off: () => signal.aborted,
        answer: (body) => resolve(body === null ? new Response(null, { status: 204 }) : Response.json(body)),
      });
    });
  });
});
afterEach(() => vi.unstubAllGlobals());

test('no answer to a question of before can bring or take a cookie after a sign-in', async () => {
  const before = askSession(never());
  const touch = touchSession(never());
  const signing = signIn('a-token', never());
  expect(sent.map(({ method, off }) => [method, off()])).toEqual([
    ['GET', true],
    ['PUT', true],
    ['POST', false],
  ]);
  expect([await before, await touch].map(isProblem)).toEqual([true, true]);
  // No question goes out with the cookie that is about to be replaced.
  expect(isProblem(await askSession(never()))).toBe(true);
  expect(sent).toHaveLength(3);
  sent[2]?.answer(visitor);
  expect(await signing).toEqual(visitor);
  const after = askSession(never());
  sent[3]?.answer(visitor);
  expect(await after).toEqual(visitor);
});

test('the touch of the very press that signs out does not bring the cookie back', async () => {
  void touchSession(never());
  const leaving = signOut(never());
  expect(sent[0]?.off()).toBe(true);
  sent[1]?.answer(null);
  expect(await leaving).toBeNull();
});

test('a cancelled question rejects with its reason', async () => {
  const gone = new AbortController();
  const question = askSession(gone.signal);
  gone.abort();
  await expect(question).rejects.toThrow();
});
