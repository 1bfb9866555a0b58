import { expect, test } from 'vitest';
import { finish } from '@/lib/domain/sliced-work';
import { writingJson } from './json';

test.each([
  {},
  { a: [], b: {}, c: null, d: undefined, e: 'é"\\\u2028' },
  { put: { locks: [{ key: 'a', value: { content: ['x', { y: [1, null] }] } }, { key: 'b' }] }, from: 1 },
  { list: [[1], 'two', { three: { four: { five: [] } } }], name: { deep: { deeper: { deepest: [1, 2] } } } },
  { long: Array.from({ length: 5_000 }, (_, i) => ({ name: `${'x'.repeat(100)} ${i}` })) },
])('writes what JSON.stringify writes: %#', (value) => {
  expect(finish(writingJson(value)).toString()).toBe(JSON.stringify(value));
  expect(finish(writingJson(value, 'data: ', '\n\n')).toString()).toBe(`data: ${JSON.stringify(value)}\n\n`);
});

test('a long list is written in steps of which none is long', () => {
  const list = Array.from({ length: 1_000 }, (_, i) => ({ i, text: 'x'.repeat(1_000) }));
  const steps = [...writingJson({ list })];
  expect(steps.length).toBeGreaterThanOrEqual(1_000);
  expect(Math.max(...steps)).toBeLessThan(2);
});
