import { expect, test } from 'vitest';
import { expectSchema } from './expect';

const nested = (depth: number): unknown => (depth === 0 ? 1 : { in: nested(depth - 1) });

test('what any provider’s plan saw is taken as it is, without a look inside', () => {
  const own = { version: 12, path: ['/a', '/b'], owner: { id: null, since: 3 } };
  expect(expectSchema.parse(own)).toEqual(own);
});

test('what is no object, or nested without need, is refused', () => {
  for (const value of [null, 'x', 7, undefined, nested(10), { list: [[[[[[[[[1]]]]]]]]] }])
    expect(expectSchema.safeParse(value).success).toBe(false);
  // Deep enough to overflow a stack, if it were walked.
  const deep = JSON.parse(`{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`);
  expect(expectSchema.safeParse(deep).success).toBe(false);
});
