import { expect, test } from 'vitest';
import type { Moment } from '@/lib/domain/history/episode';
import { languages } from '@/lib/i18n/messages';
import { lastedText } from './end-text';

test('a beginning before the first look and an end before the next one are both at or before the time that is shown', () => {
  for (const { history } of [languages.en, languages.zh])
    expect([history.basis['at-least'], history.basis['at-most'], history.basis.observed]).toEqual([
      '≤ ',
      '≤ ',
      '',
    ]);
});

test('a length is a lower bound where the beginning was missed, an upper one where the end was, and unknown where both', () => {
  const lasted = (from: Moment['basis'], to: Moment['basis'] | null) =>
    lastedText(
      { from: { atMs: 0, basis: from }, to: to === null ? null : { atMs: 60_000, basis: to } },
      120_000,
      languages.en,
    ).replaceAll('\u00a0', ' ');
  expect(lasted('observed', 'observed')).toBe('1 min');
  expect(lasted('value', null)).toBe('2 min');
  expect(lasted('at-least', 'observed')).toBe('≥ 1 min');
  expect(lasted('at-least', null)).toBe('≥ 2 min');
  expect(lasted('observed', 'at-most')).toBe('≤ 1 min');
  expect(lasted('at-least', 'at-most')).toBe('for an unknown time');
});
