import { describe, expect, test } from 'vitest';
import {
  cutName,
  formatAge,
  formatBytes,
  formatDue,
  formatDuration,
  formatInstant,
  formatRest,
  formatTime,
  formatWhen,
  nameParts,
} from './format';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

describe('durations', () => {
  test.each([
    [0, '0 s'],
    [850, '850 ms'],
    [11_000, '11 s'],
    [59_999, '59 s'],
    [90_000, '1 min 30 s'],
    [840_000, '14 min'],
    [7_500_000, '2 h 5 min'],
    [7_200_000, '2 h'],
    [273_600_000, '3 d 4 h'],
    [-5, '0 s'],
  ])('%i ms reads %s', (ms, text) => {
    expect(plain(formatDuration(ms))).toBe(text);
  });

  test('an age never shows milliseconds, and never runs backwards when clocks differ', () => {
    expect(plain(formatAge(1000, 1999))).toBe('0 s');
    expect(plain(formatAge(5000, 1000))).toBe('0 s');
  });

  test('a wait that is not over never reads zero', () => {
    expect(plain(formatRest(10_001, 10_000))).toBe('1 s');
    expect(plain(formatRest(10_000, 10_000))).toBe('0 s');
  });

  test('a rest is never longer than the wait, though the clock of the page is up to a second behind', () => {
    for (const atMs of [10_000, 10_300, 10_999])
      expect(plain(formatRest(atMs + 15_000, 10_000))).toBe('15 s');
    expect(plain(formatRest(25_300, 24_000))).toBe('1 s');
    expect(plain(formatRest(25_300, 25_000))).toBe('1 s');
  });
});

describe('instants', () => {
  const at = Date.UTC(2026, 10, 21, 23, 3, 4);
  test('a time is written in the zone that is asked for', () => {
    expect(formatTime(at, 'UTC')).toBe('23:03:04');
    expect(formatTime(at, 'Asia/Shanghai')).toBe('07:03:04');
    expect(formatInstant(at, 'Asia/Shanghai')).toBe('2026-11-22 07:03:04');
  });
  test('an instant that is far away carries its date', () => {
    expect(formatWhen(at, at + 60_000, 'UTC')).toBe('23:03:04');
    expect(formatWhen(at, at + 86_400_000, 'UTC')).toBe('2026-11-21 23:03:04');
  });

  test('an instant after midnight has its date, however soon it is', () => {
    expect(formatDue(at, at - 3_600_000, 'UTC')).toBe('23:03:04');
    expect(formatDue(at + 3_600_000, at, 'UTC')).toBe('2026-11-22 00:03:04');
    expect(formatDue(at + 3_600_000, at, 'America/New_York')).toBe('19:03:04');
  });
});

test('bytes stay short', () => {
  expect([12, 1400, 2_100_000].map((n) => plain(formatBytes(n)))).toEqual(['12 B', '1.4 kB', '2.1 MB']);
});

describe('names', () => {
  test.each([
    ['service/billing/leader', 'service/billing/', 'leader', ''],
    ['leader', '', 'leader', ''],
    ['service/x/.lock', 'service/', 'x', '/.lock'],
    ['a/b/', 'a/', 'b/', ''],
    ['.lock', '', '.lock', ''],
    ['tf/prod/.lockinfo', 'tf/', 'prod', '/.lockinfo'],
  ])('%s is cut where a person reads it', (name, lead, last, tail) => {
    expect(nameParts(name)).toEqual({ lead, last, tail });
  });
});

describe('long names', () => {
  test('a long name loses its middle, never half a character, and a short one nothing', () => {
    expect(cutName('service/leader', 14)).toBe('service/leader');
    expect(cutName(`a${'k'.repeat(300)}z`, 7)).toBe('akk…kkz');
    expect(cutName('😀'.repeat(9), 5)).toBe('😀😀…😀😀');
    expect(cutName('worker\u202etac.exe', 64)).toBe('worker tac.exe');
  });
});
