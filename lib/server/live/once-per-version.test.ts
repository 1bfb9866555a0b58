import { expect, test } from 'vitest';
import { oncePerVersion } from './once-per-version';

test('an equal request within one version is computed once, and the next version, another name and another hub have their own', () => {
  const once = oncePerVersion<object>();
  const [one, other] = [{}, {}];
  const make = (base: object, version: number, name: string) => once({ base, version, name }, () => ({}));
  const first = make(one, 1, '/');
  expect(make(one, 1, '/')).toBe(first);
  expect(make(one, 1, '/?q=a')).not.toBe(first);
  expect(make(other, 1, '/')).not.toBe(first);
  const next = make(one, 2, '/');
  expect(next).not.toBe(first);
  expect(make(one, 2, '/')).toBe(next);
});

test('at any number of addresses, the kept results have a bound', () => {
  const once = oncePerVersion<object>();
  const base = {};
  const made = Array.from({ length: 100 }, (_, n) => once({ base, version: 1, name: `${n}` }, () => ({})));
  const kept = made.filter((one, n) => once({ base, version: 1, name: `${n}` }, () => ({})) === one);
  expect(kept.length).toBeLessThanOrEqual(8);
});
