import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonObject, maxValueBytes, oneLine, storedValue } from './stored-value';

test('text stays text, with its newlines and tabs; an empty value is none', () => {
  expect(storedValue(Buffer.from('a\tb\nü'))).toEqual({
    encoding: 'text',
    content: 'a\tb\nü',
    bytes: 6,
    truncated: false,
  });
  expect(storedValue(Buffer.alloc(0))).toBeNull();
});

test.each([
  ['no UTF-8', Buffer.from([0xff, 0xfe])],
  ['an escape sequence', Buffer.from('\u001b[2J')],
  ['a NUL', Buffer.from('a\u0000')],
  ['a C1 control', Buffer.from('a\u009b')],
])('%s is shown as base64', (_about, bytes) => {
  expect(storedValue(bytes)).toMatchObject({ encoding: 'base64', content: bytes.toString('base64') });
});

test('a long value is cut at a character, wherever the limit falls, and says how long it was', () => {
  for (const character of ['a', 'ü', '語', '🚦'])
    for (const shift of [0, 1, 2, 3]) {
      const text = 'x'.repeat(shift) + character.repeat(3000);
      const shown = storedValue(Buffer.from(text));
      if (Buffer.byteLength(text) <= maxValueBytes) continue;
      expect(shown).toMatchObject({ encoding: 'text', truncated: true, bytes: Buffer.byteLength(text) });
      expect(text.startsWith(shown?.content ?? '?')).toBe(true);
      expect(Buffer.byteLength(shown?.content ?? '')).toBeGreaterThan(maxValueBytes - 4);
    }
});

test('a value of which only the beginning was read is cut at a character, too, and says how long it is', () => {
  for (const character of ['a', 'ü', '語', '🚦'])
    for (const read of [6, 7, 8, 9]) {
      const all = Buffer.from(character.repeat(9));
      const shown = storedValue(all.subarray(0, read), 2_000);
      expect(shown).toMatchObject({ encoding: 'text', truncated: true, bytes: 2_000 });
      const fit = Math.floor((read - 1) / Buffer.byteLength(character));
      expect(shown?.content).toBe(character.repeat(fit));
    }
});

test('no bytes make it throw, and what is shown is what is stored', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (array) => {
      const bytes = Buffer.from(array);
      const shown = storedValue(bytes);
      const back = Buffer.from(shown?.content ?? '', shown?.encoding === 'base64' ? 'base64' : 'utf8');
      expect(back).toEqual(bytes);
      jsonObject(bytes);
    }),
  );
});

test.each(['[1]', '"{}"', 'null', '7', '{', '', ' {"a":'])('%s is no JSON object', (text) => {
  expect(jsonObject(Buffer.from(text))).toBeNull();
});

test.each([
  ['ada\nroot', 'ada root'],
  ['\u202egro.elgoog', 'gro.elgoog'],
  ['\u001b[2Jada', '[2Jada'],
  ['  \t ', ''],
  ['🚦🚦🚦🚦🚦🚦🚦🚦🚦', '🚦🚦🚦🚦🚦🚦🚦🚦'],
])('%j in a line is %j', (stored, line) => {
  expect(oneLine(stored, 8 + (stored.startsWith('🚦') ? 0 : 8))).toBe(line);
});
