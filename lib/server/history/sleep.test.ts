/** A process that slept, and one that did not. */
import { afterEach, expect, test, vi } from 'vitest';
import { liveSource } from '@/lib/domain/fixture/world';
import { watchSleep } from './sleep';

const live = liveSource();

afterEach(() => void vi.useRealTimers());

test('after a sleep the source is caught up with, from when it was seen last, and then live again', () => {
  vi.useFakeTimers();
  let nowMs = 100_000;
  const sleep = watchSleep(() => nowMs);
  nowMs += 2_900;
  expect(sleep.watched(live)).toBe(live);
  nowMs += 9_000;
  expect(sleep.watched({ ...live, parts: [live] })).toMatchObject({
    state: 'catching-up',
    staleSinceMs: 102_900,
    parts: [{ state: 'catching-up', staleSinceMs: 102_900 }],
  });
  nowMs += 500;
  expect([sleep.watched(live).state, sleep.isOver]).toEqual(['catching-up', false]);
  nowMs += 600;
  expect(sleep.isOver).toBe(true);
  expect(sleep.watched(live)).toBe(live);
  expect(sleep.isOver).toBe(false);
  sleep.close();
});

test('its own timers keep a process awake in which nothing else happens', () => {
  vi.useFakeTimers();
  const sleep = watchSleep(() => Date.now());
  vi.advanceTimersByTime(60_000);
  expect(sleep.watched(live)).toBe(live);
  sleep.close();
  expect(vi.getTimerCount()).toBe(0);
});
