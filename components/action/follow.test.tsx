import { describe, expect, test } from 'vitest';
import { holderOf, lockOf, nowMs, semaphoreOf, sessionOf, snapshotOf } from '@/components/fixture/world';
import type { Action } from '@/lib/domain/action';
import { follow, patienceMs, pin, type Step, standing } from './follow';

const one = holderOf(1);
const codes = (steps: readonly Step[]) => steps.map((step) => step.code);
const evict: Action = {
  type: 'semaphore.evict',
  prefix: 's',
  sessionId: one.sessionId,
  how: 'destroy-session',
};
const release: Action = { type: 'lock.release', key: 'k', how: 'destroy-session' };

describe('evict', () => {
  const before = snapshotOf({ semaphores: [semaphoreOf('s')] });
  const pinned = pin(evict, before);
  const out = snapshotOf({ semaphores: [semaphoreOf('s', { holders: [holderOf(2), holderOf(3)] })] });
  const taken = snapshotOf({
    semaphores: [semaphoreOf('s', { holders: [holderOf(2), holderOf(3), holderOf(15)] })],
  });

  test('nothing is claimed before the live data shows it', () => {
    const steps = follow([], pinned, before, nowMs);
    expect(steps).toEqual([]);
    expect(standing(steps, pinned, { sentAtMs: nowMs, nowMs })).toBe('unseen');
  });
  test('out, free, taken: each with the time at which it was first seen', () => {
    let steps = follow([], pinned, out, nowMs + 1000);
    steps = follow(steps, pinned, out, nowMs + 2000);
    steps = follow(steps, pinned, taken, nowMs + 3000);
    expect(steps.map((step) => [step.code, step.who, step.atMs - nowMs])).toEqual([
      ['gone', 'worker-1', 1000],
      ['slot-free', '1', 1000],
      ['taken', 'worker-15', 3000],
    ]);
    expect(standing(steps, pinned, { sentAtMs: nowMs, nowMs: nowMs + 4000 })).toBe('complete');
  });
  test('a slot that passes on between two looks is taken, and was never shown as free', () => {
    expect(codes(follow([], pinned, taken, nowMs))).toEqual(['gone', 'taken']);
  });
  test('what the taker does later is another story', () => {
    const steps = follow(follow([], pinned, taken, nowMs), pinned, out, nowMs + 9000);
    expect(codes(steps)).toEqual(['gone', 'taken']);
  });
  test('nobody came, after patience and not before', () => {
    const steps = follow([], pinned, out, nowMs);
    const at = (later: number) => standing(steps, pinned, { sentAtMs: nowMs, nowMs: nowMs + later });
    expect(at(patienceMs - 1)).toBe('watching');
    expect(at(patienceMs)).toBe('nobody');
  });
  test('others who come and go are not its doing', () => {
    const others = snapshotOf({
      semaphores: [semaphoreOf('s', { holders: [one, holderOf(3), holderOf(15)] })],
    });
    expect(follow([], pinned, others, nowMs)).toEqual([]);
  });
});

describe('release', () => {
  const before = snapshotOf({ locks: [lockOf('k', { lockIndex: '4' })] });
  const pinned = pin(release, before);
  const look = (over: Parameters<typeof lockOf>[1]) =>
    snapshotOf({ locks: [lockOf('k', { lockIndex: '4', ...over })] });

  test('a lock-delay is waited out before patience begins', () => {
    const delayed = look({ state: 'delayed', holder: null, delayedUntilMs: nowMs + 15_000 });
    const steps = follow([], pinned, delayed, nowMs);
    expect(codes(steps)).toEqual(['gone', 'delayed']);
    const at = (later: number) => standing(steps, pinned, { sentAtMs: nowMs, nowMs: nowMs + later });
    expect(at(patienceMs)).toBe('watching');
    expect(at(15_000 + patienceMs)).toBe('nobody');
  });
  test('the end of a lock-delay is a step once it was seen, and only then', () => {
    const delayed = look({ state: 'delayed', holder: null, delayedUntilMs: nowMs + 15_000 });
    const free = look({ state: 'free', holder: null });
    const seen = follow([], pinned, delayed, nowMs);
    expect(codes(follow(seen, pinned, free, nowMs + 15_000))).toEqual(['gone', 'delayed', 'delay-over']);
    expect(codes(follow(seen, pinned, look({ holder: holderOf(2), lockIndex: '5' }), nowMs))).toEqual([
      'gone',
      'delayed',
      'taken',
    ]);
    expect(codes(follow([], pinned, free, nowMs))).toEqual(['gone', 'lock-free']);
  });
  test('the same session that takes it again is told from one that never left', () => {
    expect(follow([], pinned, look({}), nowMs)).toEqual([]);
    expect(codes(follow([], pinned, look({ lockIndex: '5' }), nowMs))).toEqual(['gone', 'retaken']);
  });
  test('a key that went with its session is said to be gone', () => {
    const steps = follow([], pinned, snapshotOf(), nowMs);
    expect(codes(steps)).toEqual(['entry-gone']);
    expect(standing(steps, pinned, { sentAtMs: nowMs, nowMs })).toBe('complete');
  });
});

test('a prune follows its ghosts and nobody else', () => {
  const ghosts = semaphoreOf('s', { holders: [one, holderOf(8, 'ghost'), holderOf(9, 'ghost')] });
  const pinned = pin({ type: 'semaphore.prune', prefixes: ['s'] }, snapshotOf({ semaphores: [ghosts] }));
  const after = snapshotOf({ semaphores: [semaphoreOf('s', { holders: [holderOf(5)] })] });
  const steps = follow([], pinned, after, nowMs);
  expect(steps.filter((step) => step.code === 'gone')).toHaveLength(2);
  expect(steps.some((step) => step.who === one.label)).toBe(false);
});

test('of two ghosts pruned two slots are free, told once', () => {
  const ghosts = semaphoreOf('s', { holders: [one, holderOf(8, 'ghost'), holderOf(9, 'ghost')] });
  const pinned = pin({ type: 'semaphore.prune', prefixes: ['s'] }, snapshotOf({ semaphores: [ghosts] }));
  const looks = [[one], [one, holderOf(5)]].map((holders) =>
    snapshotOf({ semaphores: [semaphoreOf('s', { holders })] }),
  );
  const steps = looks.reduce<readonly Step[]>((before, look) => follow(before, pinned, look, nowMs), []);
  expect(steps.filter((step) => step.code === 'slot-free').map((step) => step.who)).toEqual(['2']);
});

test('a resize is done when the new limit is seen', () => {
  const pinned = pin(
    { type: 'semaphore.resize', prefix: 's', limit: 5 },
    snapshotOf({ semaphores: [semaphoreOf('s')] }),
  );
  expect(follow([], pinned, snapshotOf({ semaphores: [semaphoreOf('s')] }), nowMs)).toEqual([]);
  const steps = follow([], pinned, snapshotOf({ semaphores: [semaphoreOf('s', { limit: 5 })] }), nowMs);
  expect(codes(steps)).toEqual(['limit']);
  expect(standing(steps, pinned, { sentAtMs: nowMs, nowMs })).toBe('complete');
});

test('a destroyed session is followed through everything that it held', () => {
  const holds = [
    { kind: 'lock', key: 'k' },
    { kind: 'semaphore', prefix: 's' },
  ] as const;
  const before = snapshotOf({
    sessions: [sessionOf(1, { holds })],
    locks: [lockOf('k')],
    semaphores: [semaphoreOf('s')],
  });
  const pinned = pin({ type: 'session.destroy', sessionId: one.sessionId }, before);
  const after = snapshotOf({
    locks: [lockOf('k', { state: 'free', holder: null })],
    semaphores: [semaphoreOf('s', { holders: [holderOf(2), holderOf(3)] })],
  });
  expect(codes(follow([], pinned, after, nowMs))).toEqual([
    'session-gone',
    'gone',
    'lock-free',
    'gone',
    'slot-free',
  ]);
});
