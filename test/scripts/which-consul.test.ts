import { expect, test } from 'vitest';
import { namesOthersOnly } from '@/scripts/which-consul.mjs';

test('an agent is looked for unless the sources name only others', () => {
  for (const sources of [
    undefined,
    '',
    ' ',
    'consul://',
    'consul://?id=east',
    'stand-in:///a.json consul:///?id=c',
  ])
    expect(namesOthersOnly(sources)).toBe(false);
  for (const sources of ['consul://10.0.0.1', 'stand-in:///a.json', 'stand-in:///consul://b'])
    expect(namesOthersOnly(sources)).toBe(true);
});
