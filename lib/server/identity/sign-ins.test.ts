import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createEndedSignIns } from './ended-sign-ins';
import { createSignIns, type SignIns, type Tell, type Times } from './sign-ins';

const minute = 60_000;
const signIn: Times = { id: 'one', endsAtMs: 100 * minute, idleEndsAtMs: 10 * minute };
let signIns: SignIns;
const create = (alone = true) =>
  createSignIns({
    now: Date.now,
    idleMs: 10 * minute,
    endedSignIns: createEndedSignIns({ store: null, shared: false, now: Date.now, log: { warn: () => {} } }),
    alone,
  });
beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  signIns = create();
});
afterEach(() => {
  void signIns.close();
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const why = (one: Times = signIn) => signIns.ended(one)?.code ?? 'open';
function follow(one: Times = signIn) {
  const told: (string | undefined)[] = [];
  const tell: Tell = (problem) => told.push(problem === null ? 'ask again' : problem.why?.code);
  const leave = signIns.follow(one, tell);
  return { told, leave };
}

test('without activity it ends when it is idle, and its streams are notified once', async () => {
  const { told } = follow();
  await pass(10 * minute - 2_000);
  expect([why(), told]).toEqual(['open', []]);
  await pass(3_000);
  expect([why(), told]).toEqual(['signed-out-idle', ['signed-out-idle']]);
  await pass(20 * minute);
  expect(told).toHaveLength(1);
});

test('a touch prolongs it, for a cookie from before the touch and for the streams that are open', async () => {
  const { told } = follow();
  await pass(9 * minute);
  expect(signIns.touch(signIn).idleEndsAtMs).toBe(19 * minute);
  await pass(9 * minute);
  expect([why(), told, signIns.idleEndsAtMs(signIn)]).toEqual(['open', [], 19 * minute]);
});

test('at any activity, it ends at its end', async () => {
  const { told } = follow();
  let one = signIn;
  for (let n = 0; n < 99; n += 1) {
    await pass(minute);
    one = signIns.touch(one);
  }
  expect(one.idleEndsAtMs).toBe(signIn.endsAtMs);
  expect([why(one), told]).toEqual(['open', []]);
  await pass(2 * minute);
  expect([why(one), told]).toEqual(['signed-out-expired', ['signed-out-expired']]);
});

test('a sign-out reaches every stream at once, and the cookie is worth nothing until its end', async () => {
  const first = follow();
  const second = follow();
  const other = follow({ ...signIn, id: 'two' });
  signIns.end(signIn);
  expect([first.told, second.told, other.told]).toEqual([
    ['signed-out-elsewhere'],
    ['signed-out-elsewhere'],
    [],
  ]);
  signIns.touch(signIn);
  await pass(5 * minute);
  expect([why(), why({ ...signIn, id: 'two' })]).toEqual(['signed-out-elsewhere', 'open']);
});

test('a stream that left is not notified', async () => {
  const { told, leave } = follow();
  leave();
  signIns.end(signIn);
  expect(told).toEqual([]);
});

test('of one that this server never saw, the times of the cookie count', async () => {
  expect(why({ id: 'stranger', endsAtMs: 5, idleEndsAtMs: 5 })).toBe('open');
  await pass(5);
  expect(why({ id: 'stranger', endsAtMs: 5, idleEndsAtMs: 5 })).toBe('signed-out-expired');
});

test('where other servers share the sign-ins, an idle stream must ask again, and so must every stream now and then', async () => {
  void signIns.close();
  signIns = create(false);
  const { told } = follow();
  await pass(4 * minute);
  expect(told).toEqual([]);
  await pass(minute + 2_000);
  expect(told).toEqual(['ask again']);
  await pass(minute);
  const later = follow();
  await pass(4 * minute);
  expect(later.told).toEqual(['ask again']);
  const signedOut = follow({ ...signIn, id: 'two', idleEndsAtMs: 100 * minute });
  signIns.end({ ...signIn, id: 'two' });
  expect(signedOut.told).toEqual(['signed-out-elsewhere']);
});

test('a clock that is set back does not put off that servers who share the sign-ins are asked again', async () => {
  void signIns.close();
  vi.setSystemTime(180 * minute);
  signIns = create(false);
  const { told } = follow({ ...signIn, endsAtMs: 900 * minute, idleEndsAtMs: 800 * minute });
  vi.setSystemTime(0);
  await pass(2_000);
  expect(told).toEqual(['ask again']);
});
