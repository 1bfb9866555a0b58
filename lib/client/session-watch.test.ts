import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Identity } from '@/lib/domain/identity';
import type { Problem } from '@/lib/domain/problem';
import type { Visitor } from '@/lib/domain/visitor';
import { type SessionWatch, watchSession } from './session-watch';

const startMs = 1_000_000;
const ada: Identity = { kind: 'token', id: 'a', name: 'ada' };
const visitor = (over: Partial<Visitor> = {}): Visitor => ({
  identity: ada,
  accessControl: 'on',
  maySee: true,
  why: null,
  writes: { allowed: true },
  endsAtMs: startMs + 3_600_000,
  idleEndsAtMs: startMs + 600_000,
  tokenEndsAtMs: null,
  ...over,
});
const stranger: Visitor = visitor({
  identity: { kind: 'anonymous' },
  maySee: false,
  why: { code: 'sign-in-to-see', facts: {} },
  endsAtMs: null,
  idleEndsAtMs: null,
});
const away: Problem = { code: 'unavailable' };

let answer: Visitor | Problem;
let asked: number;
let watch: SessionWatch;
/** Lets pending questions be answered. */
const settle = () => vi.advanceTimersByTimeAsync(0);
const why = () => {
  const state = watch.state();
  return state.at === 'out' ? state.problem.why?.code : 'in';
};

beforeEach(() => {
  vi.useFakeTimers({ now: startMs });
  answer = visitor();
  asked = 0;
  watch = watchSession({
    initial: visitor(),
    ask: async () => {
      asked += 1;
      return answer;
    },
    now: Date.now,
  });
  watch.start();
});
afterEach(() => {
  watch.stop();
  vi.useRealTimers();
});

test('a hint alone ends nothing: the server is asked, and without an answer nothing ends', async () => {
  watch.look();
  await settle();
  expect([asked, why()]).toEqual([1, 'in']);
  answer = away;
  watch.look();
  await settle();
  expect(why()).toBe('in');
});

test('many hints at once are two questions at the most, as the first may be answered by what was before', async () => {
  watch.look();
  watch.look();
  watch.look();
  watch.look();
  await settle();
  expect(asked).toBe(2);
});

test('the end by the clock is looked up when it comes, and is not the end where another tab was used since', async () => {
  answer = visitor({ idleEndsAtMs: startMs + 1_200_000 });
  await vi.advanceTimersByTimeAsync(601_000);
  expect([asked, why()]).toEqual([1, 'in']);
  answer = stranger;
  await vi.advanceTimersByTimeAsync(601_000);
  expect([asked, why()]).toEqual([2, 'signed-out-idle']);
});

test('a server whose clock is behind is asked again without haste', async () => {
  await vi.advanceTimersByTimeAsync(600_000 + 60_000);
  expect(asked).toBeGreaterThan(1);
  expect(asked).toBeLessThan(7);
  expect(why()).toBe('in');
});

test.each([
  ['signed-out-elsewhere', stranger],
  ['signed-out-idle', { ...stranger, why: { code: 'signed-out-idle', facts: {} } }],
  ['token-unknown', { ...stranger, why: { code: 'token-unknown', facts: {} } }],
  ['somebody-else', visitor({ identity: { kind: 'token', id: 'b', name: 'bob' } })],
  ['signed-out-elsewhere', visitor({ identity: { kind: 'anonymous' } })],
] as const)('a browser that is another one now is out, and why: %s', async (code, said) => {
  answer = said as Visitor;
  watch.look();
  await settle();
  expect(why()).toBe(code);
  expect(watch.state()).toMatchObject({ was: ada, now: said.maySee ? said.identity : null });
});

test('an announced end stands, also where the next answer does not know it yet', async () => {
  watch.end({ code: 'signed-out', why: { code: 'token-unknown', facts: {} } });
  await settle();
  expect(why()).toBe('token-unknown');
});

/** Server answers that arrive on demand, each as it was at the time of the question. */
function slowly() {
  const pending: (() => void)[] = [];
  watch.stop();
  watch = watchSession({
    initial: visitor(),
    ask: () => {
      const said = answer;
      return new Promise((resolve) => pending.push(() => resolve(said)));
    },
    now: Date.now,
  });
  return async () => {
    pending.shift()?.();
    await settle();
  };
}

test('a hint that comes while the server is being asked is not lost: the answer may be of before it', async () => {
  const arrive = slowly();
  watch.look();
  answer = visitor({ identity: { kind: 'token', id: 'b', name: 'bob' } });
  watch.look();
  await arrive();
  expect(why()).toBe('in');
  await arrive();
  expect(why()).toBe('somebody-else');
});

test('a sign-in on this page is not undone by an older answer', async () => {
  const arrive = slowly();
  answer = stranger;
  watch.end({ code: 'signed-out', why: { code: 'signed-out-idle', facts: {} } });
  await arrive();
  watch.look();
  answer = visitor();
  watch.told(visitor());
  await arrive();
  expect(why()).toBe('in');
});

test('an announced end is not undone by an older answer', async () => {
  const arrive = slowly();
  watch.look();
  watch.end({ code: 'signed-out', why: { code: 'token-unknown', facts: {} } });
  answer = stranger;
  await arrive();
  expect(why()).toBe('token-unknown');
  await arrive();
  expect(why()).toBe('token-unknown');
});

test('the same person who signs in again is in again, another person never is', async () => {
  watch.end({ code: 'signed-out', why: { code: 'signed-out-idle', facts: {} } });
  await settle();
  watch.told(visitor({ identity: { kind: 'token', id: 'b', name: 'bob' } }));
  expect(watch.state()).toMatchObject({ at: 'out', now: { name: 'bob' } });
  watch.told(visitor({ idleEndsAtMs: startMs + 700_000 }));
  expect(watch.state()).toMatchObject({ at: 'in', session: { idleEndsAtMs: startMs + 700_000 } });
});

test('an unchanged session renders nothing', async () => {
  const heard = vi.fn();
  watch.subscribe(heard);
  watch.look();
  await settle();
  expect(asked).toBe(1);
  expect(heard).not.toHaveBeenCalled();
  answer = visitor({ idleEndsAtMs: startMs + 700_000 });
  watch.look();
  await settle();
  expect(heard).toHaveBeenCalledOnce();
});
