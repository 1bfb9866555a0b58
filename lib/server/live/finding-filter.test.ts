import { expect, test } from 'vitest';
import { full, holder, lock, waiter, world } from '@/lib/domain/fixture/world';
import { findingsOf } from '@/lib/domain/rules/table';
import { filterFindings, readFindingFilter } from './finding-filter';

const findings = findingsOf(
  world({
    semaphores: [full('jobs/a', [holder('x')], [waiter('y')]), full('other/b', [holder('y')], [waiter('x')])],
    locks: [lock({ key: 'jobs/leader', holder: holder('z', 'overdue') })],
  }),
);
const asked = (query: string) =>
  filterFindings(findings, readFindingFilter(new URLSearchParams(query))).map(({ code }) => code);

test.each([
  ['', ['deadlock', 'overdue-holder']],
  ['severity=urgent', ['deadlock']],
  ['severity=urgent,warning', ['deadlock', 'overdue-holder']],
  ['code=overdue-holder', ['overdue-holder']],
  ['prefix=jobs/', ['deadlock', 'overdue-holder']],
  ['prefix=other/', ['deadlock']],
  ['subject=semaphore:other/b', ['deadlock']],
  ['subject=lock:jobs/leader', ['overdue-holder']],
  ['subject=lock:other/b', []],
  ['severity=urgent&prefix=nothing', []],
])('%s', (query, codes) => {
  expect(asked(query)).toEqual(codes);
});

test.each(['severity=red', 'code=unknown', 'subject=jobs', 'subject=', `prefix=${'x'.repeat(3000)}`])(
  '%s is refused and never widened to everything',
  (query) => {
    expect(() => asked(query)).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ code: 'invalid' }) }),
    );
  },
);
