import { expect, test } from 'vitest';
import { z } from 'zod';
import { type FactSchemas, list, maybe, number, object, orNull, said, text, word } from './schema-exact';

interface Row {
  readonly name: string;
  readonly count: number | null;
  readonly state: 'on' | 'off';
  readonly parts: readonly string[];
  readonly note?: string;
}

const state = word<Row['state']>({ on: true, off: true });
const whole = { name: text, count: orNull(number), state, parts: list(text), note: maybe(text) };

/** Each of these compiles only because it is expected to fail; `tsc` reports any that passes. */
const refused = () => [
  // @ts-expect-error a field is missing
  object<Row>()({ name: text, count: orNull(number), state, parts: list(text) }),
  // @ts-expect-error a field too many
  object<Row>()({ ...whole, more: text }),
  // @ts-expect-error not of this type
  object<Row>()({ ...whole, name: number }),
  // @ts-expect-error narrower than the type: what the type allows would not be documented
  object<Row>()({ ...whole, count: number }),
  // @ts-expect-error a word of the list is missing
  word<Row['state']>({ on: true }),
];

type SomeFacts = { 'one-thing': { readonly key: string }; 'another-thing': { readonly times: number } };
// @ts-expect-error a code is missing
const fewer: FactSchemas<SomeFacts> = { 'one-thing': { key: text } };
// @ts-expect-error a fact is missing
const lacking: FactSchemas<SomeFacts> = { 'one-thing': {}, 'another-thing': { times: number } };

test('a field that is not documented is refused when an answer is read, and so is a code', () => {
  const row = object<Row>()(whole);
  const good = { name: 'a', count: null, state: 'on', parts: [] };
  expect(row.parse(good)).toEqual(good);
  expect(row.safeParse({ ...good, secret: 1 }).success).toBe(false);
  const one = said<SomeFacts>({ 'one-thing': { key: text }, 'another-thing': { times: number } });
  expect(one.safeParse({ code: 'one-thing', facts: { key: 'a' } }).success).toBe(true);
  expect(one.safeParse({ code: 'one-thing', facts: { key: 'a', more: 1 } }).success).toBe(false);
  expect(one.safeParse({ code: 'no-such-thing', facts: {} }).success).toBe(false);
  expect(z.toJSONSchema(row)).toMatchObject({
    additionalProperties: false,
    required: ['name', 'count', 'state', 'parts'],
  });
});

// Never called: compiling is the test.
void [refused, fewer, lacking];
