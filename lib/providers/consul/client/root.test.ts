import { expect, test } from 'vitest';
import { betterRoot } from './root';

test.each(['', 'a', 'a/', 'a/b', 'jobs', 'my jobs/', 'a.b/..c', 'Zürich/', '100%/', '.lock', 'a/.l'])(
  'the prefix %j is read as it is',
  (root) => {
    expect(betterRoot(root)).toBeNull();
  },
);

test.each([
  ['/', ''],
  ['//', ''],
  ['/a', 'a'],
  ['a//', 'a/'],
  ['a//b', 'a/b'],
  ['./a', 'a'],
  ['a/.', 'a/'],
  ['..', ''],
  ['a/..', 'a/'],
  ['a/../b', 'a/'],
  ['a/b%20c/d', 'a/'],
  ['a/%2e%2e', 'a/'],
  ['a%2fb/c d', 'a%2fb/'],
  ['a/tab\t/b', 'a/'],
])('instead of the prefix %j one writes %j', (root, better) => {
  expect(betterRoot(root)).toBe(better);
});
