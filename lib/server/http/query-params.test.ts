import { searchParamsToUrlQuery } from 'next/dist/shared/lib/router/utils/querystring';
import { expect, test } from 'vitest';
import { textsOf } from './query-params';

const texts = (query: string) =>
  textsOf(searchParamsToUrlQuery(new URLSearchParams(query)) as Parameters<typeof textsOf>[0]);

test('of an address there are texts alone, also under the names that every object has', () => {
  const names = Object.getOwnPropertyNames(Object.prototype).filter((name) => name !== '__proto__');
  expect(names).toContain('toString');
  for (const name of names) expect(texts(`${name}=a&q=b`), name).toEqual({ q: 'b' });
  expect(Object.values(texts('__proto__=a&q=b'))).toEqual(['b']);
});

test('the first of a repeated parameter counts, and an empty one is a value', () => {
  expect(texts('q=a&q=b&show=')).toEqual({ q: 'a', show: '' });
});
