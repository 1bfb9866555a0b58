import { describe, expect, test, vi } from 'vitest';
import type { Action } from '@/lib/domain/actions/action';
import type { AuditEntry } from '@/lib/domain/actions/audit';
import { holder, lock, semaphore, waiter } from '@/lib/domain/fixture/world';
import { type Lock, type Semaphore, type Subject, shortId } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { createDiscreet } from '@/lib/server/process/scrub';
import { createFollowUps } from './follow-up';

test('a newcomer is named without half of a secret', async () => {
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
    subjects: [{ source: 'consul', kind: 'lock', key: 'k' }],
    entry: { thread: 't', who: { kind: 'anonymous' }, address: null, action: null, subjects: [], reason: '' },
    action: { type: 'lock.release', source: 'consul', key: 'k', how: 'destroy-session' },
    discreet: createDiscreet([token]),
  });
  await followUps.close();
  expect(rows).toMatchObject([{ kind: 'followed', detail: { subjects: [{ what: 'taken', by: ['s2'] }] } }]);
  expect(rows[0]?.detail.subjects).toMatchObject([{ whom: [{ session: 's2', node: 'n1' }] }]);
  expect(JSON.stringify(rows)).not.toContain('S3cr3t');
});

const worldOf = (row: Lock | Semaphore | null) =>
  ({
    source: { state: 'live', lastContactMs: 1 },
    locks: row?.kind === 'lock' ? [row] : [],
    semaphores: row?.kind === 'semaphore' ? [row] : [],
    sessions: [],
  }) as unknown as Snapshot;

const actions = {
  'lock.release': { type: 'lock.release', source: 'consul', key: 'leader', how: 'destroy-session' },
  'semaphore.prune': { type: 'semaphore.prune', source: 'consul', prefixes: ['jobs'] },
  'semaphore.evict': {
    type: 'semaphore.evict',
    source: 'consul',
    prefix: 'jobs',
    sessionId: 'a',
    how: 'slot-only',
  },
  'semaphore.resize': { type: 'semaphore.resize', source: 'consul', prefix: 'jobs', limit: 4 },
} as const satisfies { readonly [type: string]: Action };

/** The record after these worlds, each at its time after the action. */
async function followed(
  before: Lock | Semaphore,
  steps: readonly (readonly [afterMs: number, row: Lock | Semaphore | null])[],
  type: keyof typeof actions = 'semaphore.prune',
  options: { readonly nameMs?: number } = {},
) {
  const rows: AuditEntry[] = [];
  let nowMs = 1_000_000;
  let now = worldOf(before);
  let hear = (_: unknown, __: Snapshot) => {};
  const followUps = createFollowUps({
    now: () => nowMs,
    write: async (row) => void rows.push(row),
    ...options,
  });
  const subject: Subject =
    before.kind === 'lock'
      ? { source: 'consul', kind: 'lock', key: before.key }
      : { source: 'consul', kind: 'semaphore', prefix: before.prefix };
  followUps.follow({
    hub: {
      snapshot: () => now,
      subscribe: ({ step }: { step: typeof hear }) => {
        hear = step;
        return { leave: () => {} };
      },
    } as never,
    before: now,
    subjects: [subject],
    entry: { thread: 't', who: { kind: 'anonymous' }, address: null, action: type, subjects: [], reason: '' },
    action: actions[type],
    discreet: createDiscreet([]),
  });
  for (const [afterMs, row] of steps) {
    nowMs = 1_000_000 + afterMs;
    now = worldOf(row);
    const list = before.kind === 'lock' ? 'locks' : 'semaphores';
    const name = subject.kind === 'lock' ? subject.key : before.kind === 'semaphore' ? before.prefix : '';
    hear({ patch: { put: {}, edit: {}, remove: { [list]: [name] } } }, now);
  }
  // A wait of 0 ms has ended by then.
  if (options.nameMs === 0) await vi.waitFor(() => expect(rows).toHaveLength(1));
  const endedBy = rows.length === 1 ? 'itself' : 'closing';
  await followUps.close();
  return { endedBy, seen: (rows[0]?.detail.subjects as undefined | readonly object[])?.[0] };
}

const inDelay = { state: 'delayed', holder: null, delayedUntilMs: 1_015_000 } as const;

test('an entry was gone when it went, and not when its name was under no lock-delay any more', async () => {
  const { seen } = await followed(lock(), [
    [10, lock({ ...inDelay, modifyIndex: '3' })],
    [20, lock({ ...inDelay, exists: false })],
    [14_996, null],
  ]);
  expect(seen).toMatchObject({ what: 'gone', afterMs: 20 });
});

test('an entry that came back and went again is gone since the second time', async () => {
  const { seen } = await followed(lock(), [
    [20, null],
    [500, lock({ state: 'free', holder: null })],
    [900, null],
    [1_200, null],
  ]);
  expect(seen).toMatchObject({ what: 'gone', afterMs: 900 });
});

describe('the same session', () => {
  const held = lock({ lockIndex: '4' });
  const free = lock({ state: 'free', holder: null, lockIndex: '4' });
  const seenOf = async (...rows: Lock[]) => {
    const steps = rows.map((row, i) => [(i + 1) * 10, row] as const);
    return (await followed(held, steps, 'lock.release')).seen;
  };

  test('a plain write by it is no new acquisition', async () => {
    const written = lock({ lockIndex: '0', modifyIndex: '3' });
    expect(await seenOf(written)).toMatchObject({ what: 'not-seen' });
  });
  test.each([
    ['it took it again', [lock({ lockIndex: '5' })], 10],
    ['the key was made anew', [lock({ lockIndex: '4', createIndex: '9' })], 10],
    ['it was seen to be out, and wrote since', [free, lock({ lockIndex: '0' })], 20],
  ] as const)('has come again: %s', async (_, rows, afterMs) => {
    expect(await seenOf(...rows)).toMatchObject({ what: 'taken', by: ['a'], afterMs });
  });
});

test('every client that takes an opened slot is reported, each with its time', async () => {
  const names = { limit: 3, recorded: 3 };
  const ghosts = [holder('g1', 'ghost'), holder('g2', 'ghost')];
  const waits = (...ids: string[]) => ids.map((id) => waiter(id));
  const { seen, endedBy } = await followed(
    semaphore({ ...names, holders: [holder('a'), ...ghosts], waiters: waits('b1', 'b3', 'b4') }),
    [
      [
        5,
        semaphore({ ...names, holders: [holder('a')], waiters: waits('b1', 'b3', 'b4'), modifyIndex: '3' }),
      ],
      [40, semaphore({ ...names, holders: [holder('a'), holder('b1')], waiters: waits('b3', 'b4') })],
      [700, semaphore({ ...names, holders: [holder('a'), holder('b3')], waiters: waits('b4') })],
      [800, semaphore({ ...names, holders: [holder('a'), holder('b4')], waiters: [] })],
    ],
  );
  expect(seen).toMatchObject({ what: 'taken', by: ['b1', 'b3'], eachMs: [40, 700], afterMs: 40 });
  expect(endedBy).toBe('itself');
});

test('once no waiter is left, no further one is waited for', async () => {
  const ghosts = [holder('g1', 'ghost'), holder('g2', 'ghost')];
  const { seen, endedBy } = await followed(
    semaphore({ limit: 2, holders: ghosts, waiters: [waiter('b1')] }),
    [[40, semaphore({ limit: 2, holders: [holder('b1')], waiters: [] })]],
  );
  expect(seen).toMatchObject({ what: 'taken', by: ['b1'] });
  expect(endedBy).toBe('itself');
});

test('a client that takes the slot of one that left on its own has not come for this action', async () => {
  const full = (holders: string[], waiters: string[]) =>
    semaphore({
      limit: 3,
      recorded: 3,
      holders: holders.map((id) => holder(id)),
      waiters: waiters.map((id) => waiter(id)),
    });
  const { seen, endedBy } = await followed(
    full(['a0', 'a1', 'a2'], ['w0', 'w1', 'w2', 'w3']),
    [
      [10, full(['w0', 'w1', 'a2'], ['w2', 'w3'])],
      [5_000, full(['w0', 'w1', 'w2'], ['w3'])],
    ],
    'semaphore.evict',
  );
  expect(seen).toMatchObject({ what: 'taken', by: ['w0', 'w1'], eachMs: [10, 10] });
  expect(endedBy).toBe('itself');
});

describe('a new limit', () => {
  const four = (waiters: string[], over: Partial<Semaphore> = {}) =>
    semaphore({ limit: 4, waiters: waiters.map((id) => waiter(id)), modifyIndex: '3', ...over });
  const three = semaphore({ limit: 3, waiters: [waiter('w1'), waiter('w2', { label: 'import-6' })] });

  test('reports which waiters wait no longer, when that was seen, and how many are still listed', async () => {
    const { seen } = await followed(
      three,
      [
        [5, four(['w1', 'w2'])],
        [40, four(['w1'])],
      ],
      'semaphore.resize',
    );
    expect(seen).toMatchObject({
      what: 'limit-changed',
      waited: 2,
      left: ['w2'],
      leftMs: [40],
      leftInAll: 1,
      waiting: 1,
      whom: [{ session: 'w2', label: 'import-6' }],
    });
  });

  test('a waiter that holds a slot has not left, and later leavers are reported beside it', async () => {
    const { seen, endedBy } = await followed(
      three,
      [
        [5, four(['w2'], { holders: [holder('a'), holder('w1')] })],
        [90, four([], { holders: [holder('a'), holder('w1')] })],
      ],
      'semaphore.resize',
    );
    expect(seen).toMatchObject({ what: 'taken', by: ['w1'], left: ['w2'], leftMs: [90], waiting: 0 });
    expect(endedBy).toBe('itself');
  });

  test.each([
    ['somebody waits on', [5, four(['w1', 'w2'])]],
    ['nobody waits any more', [5, four([])]],
  ] as const)('never says that no client came: %s', async (_, step) => {
    const { seen } = await followed(three, [step], 'semaphore.resize');
    expect(seen).toMatchObject({ what: 'limit-changed' });
  });

  const unreadable = { layout: 'unreadable', limit: null, recorded: null, effective: null } as const;
  const waits = (limit: number, ...ids: string[]) =>
    semaphore({ limit, waiters: ids.map((id) => waiter(id)), modifyIndex: '3' });

  test.each([
    ['one that cannot be read', semaphore({ ...unreadable, holders: [] })],
    ['that of somebody else', semaphore({ limit: 9 })],
  ])('is not seen in another: %s', async (_, row) => {
    expect((await followed(three, [[5, row]], 'semaphore.resize')).seen).toMatchObject({ what: 'not-seen' });
  });

  test('stays seen when it is set to another later', async () => {
    const steps = [
      [5, four(['w1', 'w2'])],
      [40, waits(9, 'w1', 'w2')],
    ] as const;
    expect((await followed(three, steps, 'semaphore.resize')).seen).toMatchObject({ what: 'limit-changed' });
  });

  test('a client that left or came before the new limit was seen did not do so for it', async () => {
    const steps = [
      [5, waits(3, 'w2', 'w3')],
      [10, semaphore({ limit: 3, holders: [holder('b')], waiters: [waiter('w2'), waiter('w3')] })],
      [40, four(['w2'], { holders: [holder('b')] })],
    ] as const;
    const { seen } = await followed(three, steps, 'semaphore.resize');
    expect(seen).toMatchObject({ what: 'limit-changed', waited: 2, left: ['w3'], leftMs: [40], waiting: 1 });
  });

  test('a client that has left by the look that first shows the limit has left for it', async () => {
    const { seen } = await followed(three, [[5, four(['w1'])]], 'semaphore.resize');
    expect(seen).toMatchObject({ what: 'limit-changed', left: ['w2'], leftMs: [5], waiting: 1 });
  });

  test('waiters are not reported before the new limit is seen', async () => {
    for (const row of [waits(3), null]) {
      const { seen } = await followed(three, [[5, row]], 'semaphore.resize');
      expect(seen).not.toHaveProperty('waited');
      expect(seen).not.toHaveProperty('left');
    }
  });

  test('a limit without waiters is reported as such, and an unseen limit is not', async () => {
    const alone = semaphore({ limit: 3 });
    expect((await followed(alone, [[5, four([])]], 'semaphore.resize')).seen).toMatchObject({
      what: 'limit-changed',
      waited: 0,
      leftInAll: 0,
      waiting: 0,
    });
    expect((await followed(alone, [], 'semaphore.resize')).seen).toMatchObject({ what: 'not-seen' });
  });
});

test('another action counts no waiters', async () => {
  const waits = semaphore({ waiters: [waiter('w1')] });
  const { seen } = await followed(
    waits,
    [[5, semaphore({ holders: [], modifyIndex: '3' })]],
    'semaphore.evict',
  );
  expect(seen).toEqual({ subject: 'semaphore:jobs', what: 'nobody-came' });
});

describe('a client that returns with a new session', () => {
  const session = { name: 'Consul API Lock', node: 'n1' };
  const id = (n: number) => `${n}0000000-0000-4000-8000-00000000000${n}`;
  const heldBy = (n: number, label: string) =>
    lock({ layout: 'terraform', holder: holder(id(n), 'alive', { session, label }) });
  const nameless = heldBy(2, shortId(id(2)));
  const release = 'lock.release';

  test('its name is waited for, and is on record with the time at which it took the lock', async () => {
    const { seen, endedBy } = await followed(
      heldBy(1, 'root@vm'),
      [
        [5, lock({ ...inDelay, layout: 'terraform' })],
        [5_000, nameless],
        [5_120, heldBy(2, 'root@vm')],
      ],
      release,
    );
    expect(endedBy).toBe('itself');
    expect(seen).toMatchObject({
      what: 'taken',
      by: [id(2)],
      again: [id(2)],
      whom: [{ session: id(2), label: 'root@vm' }],
      eachMs: [5_000],
    });
  });

  test('another one is named, and has not returned', async () => {
    const { seen } = await followed(heldBy(1, 'root@vm'), [[5, heldBy(2, 'ann@vm')]], release);
    expect(seen).toMatchObject({ what: 'taken', whom: [{ label: 'ann@vm' }] });
    expect(seen).not.toHaveProperty('again');
  });

  test('a client that writes no name is reported by its session once the wait is over', async () => {
    const steps = [[5, nameless]] as const;
    const waited = await followed(heldBy(1, 'root@vm'), steps, release);
    // The name was still awaited.
    expect(waited.endedBy).toBe('closing');
    const over = await followed(heldBy(1, 'root@vm'), steps, release, { nameMs: 0 });
    expect(over).toMatchObject({ endedBy: 'itself', seen: { what: 'taken', whom: [{ label: null }] } });
  });
});
