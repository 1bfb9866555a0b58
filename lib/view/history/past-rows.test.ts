/** The order of the board as it was. */
import { expect, test } from 'vitest';
import type { PastLock, PastWorld } from '@/lib/domain/history/past';
import { lockSubject } from '@/lib/domain/subject';
import { pastRowsOf } from './past-rows';

const party = (id: string, sinceMs: number) => ({
  sessionId: id,
  label: `worker ${id}`,
  session: null,
  since: { atMs: sinceMs, basis: 'observed' as const },
  until: null,
  end: null,
  deed: null,
});
const lock = (key: string, sinceMs: number, waiters: string[] = []): PastLock => ({
  kind: 'lock',
  source: 'consul',
  key,
  holders: [{ ...party(`h-${key}`, sinceMs), verdict: 'alive' }],
  ...(waiters.length === 0 ? {} : { waiters: waiters.map((id) => party(id, sinceMs)) }),
});
const world: PastWorld = {
  sources: [],
  locks: [lock('new', 900), lock('old', 100), lock('wanted', 800, ['w1']), lock('ill', 950)],
  semaphores: [],
  findings: [
    {
      code: 'deadlock',
      subject: lockSubject({ source: 'consul', key: 'ill' }),
      severity: 'urgent',
      since: { atMs: 1, basis: 'observed' },
      until: null,
      cleared: null,
      deed: null,
    },
  ],
  counted: [],
};
const names = (q?: string) => pastRowsOf(world, q).map(({ name }) => name);

test('what needed attention comes first, then what was waited for, then the longest held', () => {
  expect(names()).toEqual(['ill', 'wanted', 'old', 'new']);
});

test('each word of a search is in a name, a holder or a waiter', () => {
  expect(names('WORKER old')).toEqual(['old']);
  expect(names('w1')).toEqual(['wanted']);
  expect(names('nothing')).toEqual([]);
});
