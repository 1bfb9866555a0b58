/** Thousands of cases of every kind of bad input, in this process. `npm run fuzz` asks a million, and a server as well. */
import { expect, test, vi } from 'vitest';
import { targets } from './all';
import { assail, brokenText } from './target';

vi.mock('server-only', () => ({}));

const casesEach = Number(process.env.SIGNALBOX_FUZZ_CASES ?? 1_500);

test.each(targets.map((one) => [one.name, one.guarantee, one] as const))(
  '%s: %s',
  async (_name, _says, one) => {
    const cases = Math.ceil(casesEach * (one.share ?? 1));
    const result = await assail(one, { cases, seed: 20_261_121 });
    expect(brokenText(result)).toBe('');
    expect(result.cases).toBe(cases);
  },
);

test('a kind of input of which nearly nothing is taken counts as broken', () => {
  const result = { name: 'a', cases: 1_000, tookMs: 1, slowestMs: 1, slowest: '', broken: null };
  expect(brokenText({ ...result, taken: 9 })).toBe('only 9 of 1000 inputs were taken');
  expect([10, null].map((taken) => brokenText({ ...result, taken }))).toEqual(['', '']);
  expect(brokenText({ ...result, cases: 1, taken: 0 })).toBe('');
});
