import { expect, test } from 'vitest';
import { languages } from '@/lib/i18n/messages';

test('a beginning before the first look and an end before the next one are both at or before the time that is shown', () => {
  for (const { history } of [languages.en, languages.zh])
    expect([history.basis['at-least'], history.basis['at-most'], history.basis.observed]).toEqual([
      '≤ ',
      '≤ ',
      '',
    ]);
});
