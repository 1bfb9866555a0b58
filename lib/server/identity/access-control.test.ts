import { afterEach, expect, test, vi } from 'vitest';
import type { AccessControl } from '@/lib/domain/identity';
import { createAccessControl, createAccessWatch } from './access-control';

function stage(...answers: AccessControl[]) {
  const state = { nowMs: 0, asked: 0 };
  const accessControl = createAccessControl({
    backend: {
      accessControl: async () => {
        state.asked += 1;
        return answers.shift() ?? 'unknown';
      },
    },
    now: () => state.nowMs,
  });
  return { state, accessControl };
}

test('is asked once and remembered', async () => {
  const { state, accessControl } = stage('on');
  expect(await Promise.all([accessControl(), accessControl()])).toEqual(['on', 'on']);
  state.nowMs = 4_000;
  await accessControl();
  expect(state.asked).toBe(1);
});

test('is asked again now and then: an operator may switch it on', async () => {
  const { state, accessControl } = stage('off', 'on');
  expect(await accessControl()).toBe('off');
  state.nowMs = 1_100;
  expect(await accessControl()).toBe('on');
});

test('an outage changes no known answer, and is asked about again soon', async () => {
  const { state, accessControl } = stage('off', 'unknown', 'on');
  await accessControl();
  state.nowMs = 6_000;
  expect(await accessControl()).toBe('off');
  state.nowMs = 6_600;
  expect(await accessControl()).toBe('on');
});

test('while it is not known it is asked again soon, but not by every request', async () => {
  const { state, accessControl } = stage('unknown', 'off');
  expect(await accessControl()).toBe('unknown');
  expect(await accessControl()).toBe('unknown');
  expect(state.asked).toBe(1);
  state.nowMs = 600;
  expect(await accessControl()).toBe('off');
});

test('a backend that never answers delays no request for long, and the known answer stays', async () => {
  const state = { nowMs: 0, known: true };
  const accessControl = createAccessControl({
    backend: {
      accessControl: () => (state.known ? Promise.resolve('on') : new Promise<AccessControl>(() => {})),
    },
    now: () => state.nowMs,
  });
  await accessControl();
  state.known = false;
  state.nowMs = 6_000;
  expect(await accessControl()).toBe('on');
});

afterEach(() => void vi.useRealTimers());

test('clients without a credential are notified once when access control starts, by one look for all of them', async () => {
  vi.useFakeTimers();
  let control: AccessControl = 'off';
  let looks = 0;
  const { follow } = createAccessWatch(async () => {
    looks += 1;
    return control;
  });
  const told: string[] = [];
  follow('off', () => told.push('first'));
  follow('unknown', () => told.push('second'));
  follow('on', () => told.push('of those who showed one'));
  const leave = follow('off', () => told.push('who left'));
  await vi.advanceTimersByTimeAsync(3_000);
  expect([looks, told]).toEqual([3, []]);
  leave();
  control = 'on';
  await vi.advanceTimersByTimeAsync(5_000);
  expect(told).toEqual(['first', 'second']);
  expect(looks).toBe(4);
});

test('without followers there is no look, and an outage notifies none', async () => {
  vi.useFakeTimers();
  let looks = 0;
  const told: unknown[] = [];
  const { follow } = createAccessWatch(() => {
    looks += 1;
    return Promise.reject(new Error('away'));
  });
  const leave = [
    follow('off', (problem) => told.push(problem)),
    follow('off', (problem) => told.push(problem)),
  ];
  await vi.advanceTimersByTimeAsync(2_000);
  for (const one of leave) one();
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([looks, told]).toEqual([2, []]);
  follow('off', () => {});
  expect(vi.getTimerCount()).toBe(1);
});
