/** Keys as people, libraries and mistakes make them, also those that Consul stores and cannot address. */
import fc from 'fast-check';

export const sessionIds: readonly string[] = ['1', '2', '3', '4'].map(
  (end) => `aaaaaaa1-0000-4000-8000-00000000000${end}`,
);

const part = fc.oneof(
  fc.constantFrom(
    ...sessionIds,
    ...['', '.', '..', '.lock', '.lockinfo', 'leader', 'members', 'core', 'lock', 'semaphore', 'a', 'b'],
    ...['%', '%2F', '%2e%2e', '%00', ' ', 'a b', '?', '#', '&', '=', '+', ';', ':', '@', '\\', '"', "'"],
    ...['\t', '\n', '\u0000', '\u00a0', '\u0085', '\u2028', '\u202e', '\u200b', '\u200d', '\ufeff', '\ufffd'],
    ...['__proto__', 'constructor', 'hasOwnProperty', 'é', 'e\u0301', '锁', '🔒', 'مفتاح', '<script>', '$x'],
    ...['x'.repeat(300), 'dedup', '0123456789abcdef0123456789abcdef', 'data', 'consul-esm', 'CON'],
  ),
  // No lone surrogates, which Consul's UTF-8 turns into U+FFFD.
  fc.string({ unit: 'grapheme', maxLength: 6 }),
);

/** A key as Consul may list it. */
export const key: fc.Arbitrary<string> = fc
  .array(part, { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join('/'))
  .filter((joined) => joined !== '');
