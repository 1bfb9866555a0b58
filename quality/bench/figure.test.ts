import { describe, expect, test } from 'vitest';
import { atMost, bytes, goalOf, ms, noMoreThan, plainFigure, quantile, times } from './figure';

describe('a quantile', () => {
  test('is the sample of the nearest rank, in any order', () => {
    const samples = [50, 10, 40, 20, 30];
    expect([0, 0.2, 0.21, 0.5, 0.99, 1].map((q) => quantile(samples, q))).toEqual([10, 10, 20, 30, 50, 50]);
    expect(samples).toEqual([50, 10, 40, 20, 30]);
  });

  test('p99 of 100 samples leaves out the largest one, of fewer it is the largest one', () => {
    const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
    expect([quantile(upTo(100), 0.99), quantile(upTo(99), 0.99)]).toEqual([99, 99]);
  });

  test('of nothing is an error', () => {
    expect(() => quantile([], 0.5)).toThrow('A quantile of nothing');
  });
});

describe('a goal', () => {
  test.each([
    [1.5, '<=', 1.5, 'met'],
    [1.51, '<=', 1.5, '**missed** by 0.01x (0.7 %)'],
    [3, '<=', 1.5, '**missed** by 1.50x (100 %)'],
    [1, '>=', 1, 'met'],
    [0.8, '>=', 1, '**missed** by 0.20x (20 %)'],
  ] as const)('of %d %s %d is %s', (value, sign, bound, verdict) => {
    expect(goalOf(value, sign, bound, { show: times })).toMatchObject({ met: verdict === 'met', verdict });
  });

  test('of nothing at all has no share to be missed by', () => {
    expect(goalOf(3, '<=', 0, { show: String, text: 'none' })).toEqual({
      text: 'none',
      met: false,
      verdict: '**missed** by 3',
    });
  });

  test('is never met by what is no number', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => goalOf(value, '<=', 1, { show: String })).toThrow('no number');
    expect(() => atMost('x', { ours: 1, compared: 0, max: 2, show: ms })).toThrow('no number');
  });
});

test('a ratio has digits that say something, however small it is', () => {
  expect([0, 0.00033, 0.034, 1.271, 9.99, 12.4].map(times)).toEqual([
    '0.00x',
    '0.0003x',
    '0.03x',
    '1.27x',
    '9.99x',
    '12x',
  ]);
});

describe('a figure', () => {
  test('has a ratio only where what it is compared with is more than nothing', () => {
    const ratios = [2, 0, -1, null].map(
      (compared) => plainFigure('x', { ours: 3, compared, show: ms }).ratio,
    );
    expect(ratios).toEqual([1.5, null, null, null]);
  });

  test('says by how much its ratio, or its value, misses the goal', () => {
    expect(atMost('x', { ours: 18, compared: 10, max: 1.5, show: ms })).toEqual({
      what: 'x',
      ours: '18 ms',
      compared: '10 ms',
      ratio: 1.8,
      goal: { text: '<= 1.5x', met: false, verdict: '**missed** by 0.30x (20 %)' },
    });
    expect(noMoreThan('x', { ours: 1_250, compared: null, max: 1_000, show: bytes }).goal).toEqual({
      text: '<= 1000 B',
      met: false,
      verdict: '**missed** by 250 B (25 %)',
    });
  });
});
