import { expect, test } from 'vitest';
import type { Subject } from '@/lib/domain/model';
import { needOf } from './need';

const a: Subject = { source: 'consul', kind: 'semaphore', prefix: 'a' };
const b: Subject = { source: 'consul', kind: 'semaphore', prefix: 'b' };
const session: Subject = { source: 'consul', kind: 'session', id: 'x' };

test('one semaphore with two troubles needs one human, and at once if one of them cannot wait', () => {
  const findings = [
    { severity: 'warning', subject: a, also: [] },
    { severity: 'urgent', subject: a, also: [] },
    { severity: 'warning', subject: b, also: [] },
  ] as const;
  expect(needOf(findings)).toEqual({ all: 2, now: 1 });
});

test('a deadlock counts every semaphore in it; notices and sessions count nothing', () => {
  const findings = [
    { severity: 'urgent', subject: a, also: [b] },
    { severity: 'notice', subject: a, also: [] },
    { severity: 'warning', subject: session, also: [] },
  ] as const;
  expect(needOf(findings)).toEqual({ all: 2, now: 2 });
});
