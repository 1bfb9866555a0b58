import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDurationMs } from './duration';

test.each([
  ['15s', 15_000],
  ['15.0s', 15_000],
  ['1m30s', 90_000],
  ['100ms', 100],
  ['1h2m3.5s', 3_723_500],
  ['24h0m0s', 86_400_000],
  ['1ms', 1],
  ['500us', 0.5],
  ['2µs', 0.002],
  ['2μs', 0.002],
  ['-1.5s', -1500],
  ['.5s', 500],
  ['', 0],
  ['0', 0],
  ['0s', 0],
] as const)('%s is what Go reads', (text, ms) => {
  expect(parseDurationMs(text)).toBeCloseTo(ms, 9);
});

test.each(['15', 's', '1x', '1s ago', '1 s', '1..5s', 'ms', '--1s', '1s-'])('%s is no duration', (text) => {
  expect(parseDurationMs(text)).toBeNull();
});

test('a bare number is nanoseconds, as in the JSON of a session', () => {
  expect(parseDurationMs(15_000_000_000)).toBe(15_000);
  expect(parseDurationMs(Number.NaN)).toBeNull();
});

test('more than Go can hold is no duration, however it is written', () => {
  expect(parseDurationMs('2562047h47m16.854s')).toBe(9_223_372_036_854);
  for (const long of ['2562048h', '-2562048h', `${'9'.repeat(400)}s`, 1e19, Number.POSITIVE_INFINITY])
    expect(parseDurationMs(long)).toBeNull();
});

test('a formatted duration is read back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 86_400_000 }), (ms) => {
      expect(parseDurationMs(formatDuration(ms))).toBe(ms);
    }),
  );
});

test('no text makes it throw', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseDurationMs(text)));
});
