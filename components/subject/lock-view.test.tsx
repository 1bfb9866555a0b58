// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { ActionProvider } from '@/components/actions/action-provider';
import { Live, liveViewOf } from '@/components/fixture/live';
import { holderOf, lockOf, nowMs, snapshotOf } from '@/components/fixture/world';
import { ClockProvider } from '@/components/live/clock';
import type { Lock } from '@/lib/domain/model';
import { LockView } from './lock-view';

afterEach(cleanup);

function page(name: string, locks: readonly Lock[]): HTMLElement {
  const { container } = render(
    <ClockProvider first={{ nowMs, zone: 'UTC' }}>
      <Live view={liveViewOf(snapshotOf({ locks }))}>
        <ActionProvider actionsOff={null}>
          <LockView name={name} canAsk={false} />
        </ActionProvider>
      </Live>
    </ClockProvider>,
  );
  return container;
}

const shown = (lock: Lock, ...others: Lock[]): string => page(lock.key, [lock, ...others]).textContent ?? '';

test('the page of a lock that is not in view leads to what was seen of it, and one without a key to nothing', () => {
  const link = (name: string) =>
    page(name, []).querySelector('a[href^="/history"]')?.getAttribute('href') ?? null;
  expect(link('jobs/a b')).toBe('/history?prefix=jobs%2Fa+b');
  cleanup();
  expect(link('')).toBeNull();
});

test('lock info that a Terraform run left is shown and explained', () => {
  const leftBehind = {
    key: 'tf/prod/.lockinfo',
    who: 'root@vm',
    createdAtMs: Date.UTC(2026, 10, 19, 5, 0, 0),
  };
  const text = shown(
    lockOf('tf/prod/.lock', { layout: 'terraform', state: 'free', holder: null, leftBehind }),
  );
  expect(text).toContain('Left behindLock info of root@vm, created 2026-11-19 05:00:00. tf/prod/.lockinfo');
  expect(text).toContain(
    'the next one overwrites it. Deleting this lock also deletes it, if your token may.',
  );
});

test('where nothing was left behind, nothing is said of it', () => {
  const text = shown(lockOf('tf/prod/.lock', { layout: 'terraform', state: 'free', holder: null }));
  expect(text).not.toContain('Left behind');
});

test('the page of a Patroni leader says a failover only where another member is in view', () => {
  const leader = lockOf('service/db/leader', { layout: 'patroni-leader' });
  const member = (n: number) =>
    lockOf(`service/db/members/pg${n}`, { layout: 'patroni-member', holder: holderOf(n) });
  const alone = shown(leader, member(1));
  expect(alone).toContain('No other Patroni member is in view to take over.');
  expect(alone).not.toContain('failover');
  cleanup();
  expect(shown(leader, member(1), member(2))).toContain('starts a PostgreSQL failover at once');
});

test('where the backend keeps a queue it is on the page in its order, and what the backend lacks is not drawn', () => {
  const party = (id: string, name: string) => ({
    ...holderOf(1),
    sessionId: id,
    session: null,
    label: name,
    evidence: [],
  });
  const { flags, createIndex, modifyIndex, lockIndex, ...bare } = lockOf('jobs/nightly');
  const text = shown({
    ...bare,
    layout: 'stand-in-lock',
    holder: {
      ...party('w1', 'worker one'),
      expiry: { kind: 'lease', withinMs: null, latestMs: nowMs + 60_000, lastRenewalMs: null },
    },
    waiters: [party('w2', 'worker two'), party('w3', 'worker three')],
  });
  expect(text).toMatch(/In the order of the queue.*worker two.*worker three/);
  expect(text).toContain('Held by worker one. Its lease ends at');
  expect(text).toContain('Its lease runs. If its process has died');
  for (const absent of [/flags/, /index/, /session/i, /Consul/, /More…/]) expect(text).not.toMatch(absent);
});

test('where the backend shows no waiters the page says why, and claims nothing', () => {
  expect(shown(lockOf('a/leader'))).toContain('Nothing records who waits for a plain lock.');
});
