import { expect, test } from 'vitest';
import type { AuditEntry } from '@/lib/domain/audit';
import { holder, lock } from '@/lib/domain/fixture/world';
import type { Snapshot } from '@/lib/domain/snapshot';
import { createDiscreet } from '@/lib/server/scrub';
import { createFollowUps } from './follow-up';

test('who came is named without half of a secret', async () => {
  const token = 'c0ffee00-0000-4000-8000-00000000beef';
  const name = `run db://me:S3cr3t-Passw0rd-of-the-database-in-the-cellar-of-it@db ${token}`;
  const came = holder('s2', 'alive', { session: { name, node: 'n1' }, label: name.slice(0, 64) });
  const worldWith = (over: Parameters<typeof lock>[0]) =>
    ({
      source: { state: 'live', lastContactMs: 1 },
      locks: [lock({ key: 'k', ...over })],
      semaphores: [],
      sessions: [],
    }) as unknown as Snapshot;
  const rows: AuditEntry[] = [];
  const followUps = createFollowUps({ now: Date.now, write: async (row) => void rows.push(row) });
  followUps.follow({
    hub: {
      snapshot: () => worldWith({ holder: came, lockIndex: '2' }),
      subscribe: () => ({ leave: () => {} }),
    } as never,
    before: worldWith({ holder: holder('s1') }),
    subjects: [{ kind: 'lock', key: 'k' }],
    entry: { thread: 't', who: { kind: 'anonymous' }, address: null, action: null, subjects: [], reason: '' },
    discreet: createDiscreet([token]),
  });
  await followUps.close();
  expect(rows).toMatchObject([{ kind: 'followed', detail: { subjects: [{ what: 'taken', by: ['s2'] }] } }]);
  expect(rows[0]?.detail.subjects).toMatchObject([{ whom: [{ session: 's2', node: 'n1' }] }]);
  expect(JSON.stringify(rows)).not.toContain('S3cr3t');
});
