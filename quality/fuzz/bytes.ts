/**
 * Real bytes after a few edits: flipped bits, parts that are dropped, cut or doubled, and inserted pieces on which
 * parsers fail. Fewer edits are the smaller case, so a reported failure is near a real value.
 */
import fc from 'fast-check';

const text = (...pieces: string[]) => pieces.map((piece) => Buffer.from(piece, 'utf8'));

/** Pieces for values and texts. */
export const pieces: readonly Buffer[] = [
  ...text('{', '}', '[', ']', '"', ',', ':', '\\', 'null', 'true', '{}', '[]', '""', '\n', '\t', ' '),
  ...text('"__proto__":', '"constructor":{"prototype":{"x":1}},', '"toString":1,', '"length":0,'),
  ...text('"Limit":', '"limit":', '"LIMIT":2,', '"Holders":{},', '"holders":[],', '"Holders":null,'),
  ...text('0', '-1', '-0', '1e2', '1e400', '2.0', '9007199254740993', '18446744073709551615', '"2"'),
  ...text('18446744073709551616', `${'9'.repeat(400)}`, 'NaN', 'Infinity', '0x10', '01'),
  ...text(
    '"\\ud800"',
    '"\\udc00\\ud800":true,',
    '\\u0000',
    '"\\u202e":true,',
    '\u202e',
    '\u200b',
    '\u{e0001}',
  ),
  ...text('\ufeff', '\u2028', '\u0000', '\u007f', '\u0085', '/*x*/', '//x\n', "'x'", 'undefined'),
  ...text('aaaaaaa1-0000-4000-8000-000000000001', 'ID', 'lock:2026-11-21T05:00:00.1', '<b>', '$1'),
  ...text('['.repeat(1_000), '{"a":'.repeat(1_000), ']'.repeat(1_000), '{"x":"'.repeat(40)),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xc0, 0x80]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xf4, 0x90, 0x80, 0x80]),
  Buffer.from([0xe2, 0x82]),
];

type Edit =
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'set'; readonly at: number; readonly byte: number }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'drop'; readonly at: number; readonly length: number }
  | { readonly kind: 'double'; readonly at: number; readonly length: number; readonly times: number }
  | { readonly kind: 'put'; readonly at: number; readonly piece: Buffer };

// Places are per mille of the length, so that an edit keeps its meaning after others.
const at = fc.integer({ min: 0, max: 1000 });
const length = fc.integer({ min: 1, max: 40 });

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({
    kind: fc.constant('put' as const),
    at,
    piece: fc.constantFrom(...pieces),
  }),
  fc.record({ kind: fc.constant('flip' as const), at, bit: fc.integer({ min: 0, max: 7 }) }),
  fc.record({ kind: fc.constant('set' as const), at, byte: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ kind: fc.constant('cut' as const), at }),
  fc.record({ kind: fc.constant('drop' as const), at, length }),
  fc.record({
    kind: fc.constant('double' as const),
    at,
    length,
    times: fc.constantFrom(1, 2, 3, 50),
  }),
);

function edited(bytes: Buffer, one: Edit): Buffer {
  const place = Math.floor((one.at * bytes.length) / 1000);
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
  switch (one.kind) {
    case 'flip':
    case 'set': {
      if (after.length === 0) return bytes;
      const next = Buffer.from(bytes);
      next[place] = one.kind === 'set' ? one.byte : (next[place] ?? 0) ^ (1 << one.bit);
      return next;
    }
    case 'cut':
      return before;
    case 'drop':
      return Buffer.concat([before, after.subarray(one.length)]);
    case 'double': {
      const part = after.subarray(0, one.length);
      return Buffer.concat([before, ...Array.from({ length: one.times }, () => part), after]);
    }
    case 'put':
      return Buffer.concat([before, one.piece, after]);
  }
}

/** One of these with up to `editsMax` edits. */
export function mutated(corpus: readonly Buffer[], editsMax = 4): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.constantFrom(...corpus), fc.array(edit, { maxLength: editsMax }))
    .map(([bytes, edits]) => edits.reduce(edited, bytes));
}

/** The same, as text. Bytes that are not UTF-8 become U+FFFD. */
export const mutatedText = (corpus: readonly string[], editsMax = 3): fc.Arbitrary<string> =>
  mutated(
    corpus.map((one) => Buffer.from(one, 'utf8')),
    editsMax,
  ).map((bytes) => bytes.toString('utf8'));

/** Any text, lone surrogates included. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 24 }),
  fc.constantFrom(
    '',
    '\ud800',
    'a\udfff',
    '__proto__',
    'constructor',
    'toString',
    '\u202egnp.exe',
    'a\u200bb',
    '\u0000',
    ' ',
    '%',
    '%00',
    '%e0%a4%a',
    '../../etc/passwd',
    'x'.repeat(5_000),
    '9'.repeat(400),
    '-1',
    'null',
    '[]',
    'https://evil.example',
  ),
);

/** Any JSON value, with odd names in it. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  { depthSize: 'small' },
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(anyText, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 4, noNullPrototype: true }),
  fc.constantFrom<unknown>(null, 0, -0, 1e308, '', [], {}, [[[[]]]], true),
);
