/** What is said of locks and semaphores of backends without sessions. */
import { expect, test } from 'vitest';
import {
  countedLock,
  countedSemaphore,
  fairLock,
  holder,
  lease,
  lock,
  semaphore,
  waiter,
  world,
} from '@/lib/domain/fixture/world';
import type { Holder } from '@/lib/domain/model';
import { findingsOf } from '@/lib/domain/rules/table';
import { languages } from './messages';
import { findingOwner, findingText } from './sentences';

const byLease = (id: string, over: Partial<Holder> = {}) =>
  holder(id, 'alive', { session: null, expiry: lease, ...over });

test('no sentence about a lease speaks of a session, in either language', () => {
  const rows = [
    countedLock({ holder: byLease('a', { verdict: 'overdue' }), waitingClients: 2 }),
    countedLock({ holder: byLease('a', { verdict: 'immortal' }) }),
    countedSemaphore({ holders: [byLease('a', { verdict: 'ghost' })], waitingClients: 2 }),
    countedSemaphore({ holders: [byLease('a', { verdict: 'immortal' })] }),
    countedSemaphore({ holders: [byLease('a', { verdict: 'overdue' })], waitingClients: 1, limit: 1 }),
    countedSemaphore({ holders: [byLease('a'), byLease('b')], limit: 1, recorded: 2, effective: 2 }),
    fairLock([waiter('b', { verdict: 'ghost' })]),
    countedLock({ state: 'free', holder: null, waitingClients: 2 }),
  ];
  const findings = rows.flatMap((of) =>
    findingsOf(world(of.kind === 'lock' ? { locks: [of] } : { semaphores: [of] })),
  );
  expect(findings).toHaveLength(rows.length);
  for (const finding of findings)
    for (const m of Object.values(languages)) {
      const said = `${findingText(finding, m)} ${findingOwner(finding, m)}`;
      expect(said).not.toMatch(/session|会话|TTL|Consul|undefined/);
    }
});

test('a silent holder by an entry is not said to have stopped its renewals, or to be in Consul', () => {
  const holders = [holder('a', 'overdue')];
  const rows = [
    world({ locks: [lock({ layout: 'curator-mutex', holder: holder('a', 'overdue') })] }),
    world({ semaphores: [semaphore({ layout: 'curator-semaphore', holders })] }),
  ];
  for (const finding of rows.flatMap((row) =>
    findingsOf(row).filter(({ code }) => code === 'overdue-holder'),
  ))
    for (const m of Object.values(languages)) {
      expect(findingText(finding, m)).toMatch(/connection|连接/);
      expect(findingText(finding, m)).not.toMatch(/renewal|续期|TTL|Consul/);
    }
  expect.assertions(8);
});
