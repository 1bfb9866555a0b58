import { expect, test } from 'vitest';
import { createAgenda } from './agenda';

test('each name is due once, at the earliest time that was said', () => {
  const agenda = createAgenda();
  for (const [name, ms] of [
    ['a', 30],
    ['b', 10],
    ['a', 20],
    ['a', 40],
    ['c', 20],
    ['d', 99],
  ] as const)
    agenda.at(name, ms);
  expect(agenda.nextMs()).toBe(10);
  expect(agenda.take(9, 10)).toEqual([]);
  expect(agenda.take(25, 1)).toEqual(['b']);
  expect(new Set(agenda.take(25, 10))).toEqual(new Set(['a', 'c']));
  expect(agenda.take(99, 10)).toEqual(['d']);
  expect(agenda.nextMs()).toBe(Number.POSITIVE_INFINITY);
});

test('many names come out in order', () => {
  const agenda = createAgenda();
  const times = new Map(Array.from({ length: 2_000 }, (_, i) => [`n${i}`, (i * 7919) % 1_000]));
  for (const [name, ms] of times) agenda.at(name, ms);
  const taken = agenda.take(1_000, 10_000).map((name) => times.get(name) ?? -1);
  expect(taken).toHaveLength(2_000);
  expect(taken.every((ms, i) => i === 0 || ms >= (taken[i - 1] ?? 0))).toBe(true);
});

test('a name that changes again and again leaves no pile of dates behind, and all are still taken in order', () => {
  const agenda = createAgenda();
  agenda.at('steady', 90_000);
  for (let atMs = 0; atMs < 20_000; atMs += 1) {
    agenda.at('busy', atMs + 60_000);
    agenda.at('busy', atMs);
    expect(agenda.take(atMs, 10)).toEqual(['busy']);
  }
  expect(agenda.kept).toBeLessThan(1_100);
  agenda.at('busy', 80_000);
  expect(agenda.take(100_000, 10)).toEqual(['busy', 'steady']);
});
