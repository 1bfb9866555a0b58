import { expect, test } from 'vitest';
import { en } from '@/lib/i18n/messages';
import { findingText } from '@/lib/i18n/sentences';
import { worded } from './worded';

test("a code with facts of another shape than this page knows is said in the server's words", () => {
  expect(worded({ code: 'not-holder', facts: null, text: 'As the server says it.' } as never, en.why)).toBe(
    'As the server says it.',
  );
  expect(worded({ code: 'not-holder', facts: null } as never, en.why)).toBe('not-holder');
});

test('an unknown finding is named by its code, and the page works', () => {
  const finding = { code: 'of-tomorrow', facts: { key: 'a' } } as never;
  expect(findingText(finding, en)).toBe('of-tomorrow');
});

test('a too large write of an older row has no count', () => {
  const said = worded({ code: 'write-too-large', facts: {} } as never, en.why);
  expect(said).toMatch(/^The write is larger than this Consul accepts\. The default is 524,288 bytes/);
});
