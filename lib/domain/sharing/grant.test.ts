import { expect, test } from 'vitest';
import { grantState, scopeWithin } from './grant';
import { scopeSchema } from './grant-scope';

const scope = (over: object) => scopeSchema.parse(over);
const board = scope({ view: 'board', prefix: 'a/' });

test.each([
  [{ view: 'board', prefix: 'a/b/' }, true],
  [{ view: 'lock', key: 'a/leader' }, true],
  [{ view: 'semaphore', prefix: 'a/pool' }, true],
  [{ view: 'board', prefix: 'a' }, false],
  [{ view: 'lock', key: 'b/leader' }, false],
])('within a board is what begins with its prefix: %j', (inner, is) => {
  expect(scopeWithin(scope(inner), board) !== null).toBe(is);
});

test('within a lock there is that lock alone', () => {
  const lock = scope({ view: 'lock', key: 'a/pool' });
  expect(scopeWithin(lock, lock)).toEqual(lock);
  expect(scopeWithin(scope({ view: 'lock', key: 'a/pool/deep' }), lock)).toBeNull();
  expect(scopeWithin(scope({ view: 'semaphore', prefix: 'a/pool' }), lock)).toBeNull();
  expect(scopeWithin(scope({ view: 'board', prefix: 'a/pool' }), lock)).toBeNull();
});

test('values and sessions are shown where both have them', () => {
  const wide = scope({ view: 'lock', key: 'a/leader', values: true });
  expect(scopeWithin(wide, board)).toMatchObject({ values: false, sessions: true });
  expect(scopeWithin(wide, { ...board, values: true, sessions: false })).toMatchObject({
    values: true,
    sessions: false,
  });
});

test('the last 24 hours are shown where both have them, and a board never has', () => {
  const past = scope({ view: 'lock', key: 'a/leader', history: true });
  expect(scopeWithin(past, past)).toMatchObject({ history: true });
  for (const outer of [board, scope({ view: 'lock', key: 'a/leader' })])
    expect(scopeWithin(past, outer)).not.toHaveProperty('history');
  expect(scopeSchema.safeParse({ view: 'board', prefix: '', history: true }).success).toBe(false);
});

test('a link ends with the token of its maker, and what is revoked is called that', () => {
  const grant = { endsAtMs: null, pausedAtMs: null, revokedAtMs: null, tokenEndsAtMs: 10, lostAtMs: null };
  expect([9, 10].map((nowMs) => grantState(grant, nowMs))).toEqual(['active', 'ended']);
  expect(grantState({ ...grant, lostAtMs: 5 }, 6)).toBe('ended');
  expect(grantState({ ...grant, lostAtMs: 5, revokedAtMs: 7 }, 8)).toBe('revoked');
});
