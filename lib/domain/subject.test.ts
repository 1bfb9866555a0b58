import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lock, semaphore, session } from '@/lib/domain/fixture/world';
import { type Subject, subjectId } from './model';
import { firstSource, partsOfName, rowName } from './source';
import { isOf, lockName, lockSubject, subjectOf, subjectOfId } from './subject';

const source = fc.constantFrom(firstSource, 'other', 'a-1');
const name = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('other!lock:a', 'lock:a', '!', ':', 'a!b', '\n'),
);
const subject = fc.oneof(
  fc.record({ source, kind: fc.constant('lock' as const), key: name }),
  fc.record({ source, kind: fc.constant('semaphore' as const), prefix: name }),
  fc.record({ source, kind: fc.constant('session' as const), id: name }),
) as fc.Arbitrary<Subject>;

test('an id from before there were several sources means the first', () => {
  expect(subjectId({ source: 'consul', kind: 'lock', key: 'a/leader' })).toBe('lock:a/leader');
  expect(subjectOfId('semaphore:jobs')).toEqual({ source: 'consul', kind: 'semaphore', prefix: 'jobs' });
});

test('an id says which subject it is of, whatever the name holds', () => {
  fc.assert(
    fc.property(subject, (one) => {
      expect(subjectOfId(subjectId(one))).toEqual(one);
    }),
  );
  expect(subjectOfId('other!lock:a')).toEqual({ source: 'other', kind: 'lock', key: 'a' });
});

test('what is no id of a subject is none', () => {
  for (const text of ['', 'a', 'key:a', 'Other!lock:a', '!lock:a']) expect(subjectOfId(text)).toBeNull();
});

test('no name of one source is a name of another', () => {
  fc.assert(
    fc.property(source, name, source, name, (a, x, b, y) => {
      expect(rowName(a, x) === rowName(b, y)).toBe(a === b && x === y);
      expect(partsOfName(rowName(a, x))).toEqual({ source: a, name: x });
    }),
  );
});

test('the same key in two sources is two rows', () => {
  const [here, there] = [lock({ key: 'a' }), lock({ source: 'other', key: 'a' })];
  expect(lockName(here)).toBe('a');
  expect([here, there].find(isOf(lockSubject(there)))).toBe(there);
  for (const row of [here, there, semaphore({ source: 'other' }), session({ source: 'other' })])
    expect(isOf(subjectOf(row))(row)).toBe(true);
});
