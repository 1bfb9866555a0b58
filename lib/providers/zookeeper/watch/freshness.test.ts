import { expect, test } from 'vitest';
import type { SourceState } from '@/lib/domain/source-state';
import { brokeOff, notServing } from '@/lib/providers/zookeeper/client/failure';
import { createFreshness } from './freshness';

function told() {
  const states: SourceState[] = [];
  const freshness = createFreshness(
    {
      id: 'zk',
      title: 'ZooKeeper',
      servers: [{ host: '::1', port: 2181 }],
      chroot: '/x',
      roots: ['/'],
      tls: null,
      digest: null,
      admin: [],
      counts: new Map(),
    },
    (source) => states.push(source),
  );
  return { freshness, states, last: () => states.at(-1) };
}

test('a broken line is stale, and down once no server is left to ask; it was fresh until it was last heard of', () => {
  const { freshness, last, states } = told();
  expect(last()).toMatchObject({ state: 'catching-up', origin: '[::1]:2181/x', lastContactMs: null });
  freshness.live(1_000);
  freshness.away({ state: 'away', problem: brokeOff, everywhere: false }, 2_000);
  expect(last()).toMatchObject({ state: 'stale', staleSinceMs: 2_000, problem: brokeOff });
  freshness.away({ state: 'away', problem: notServing, everywhere: true }, 2_000);
  expect(last()).toMatchObject({ state: 'down', staleSinceMs: 2_000, problem: notServing });
  // The next round begins with one server: it is as much down as before.
  freshness.away({ state: 'away', problem: brokeOff, everywhere: false }, 2_000);
  expect(last()).toMatchObject({ state: 'down' });
  freshness.reading();
  expect(last()).toMatchObject({ state: 'catching-up', staleSinceMs: 2_000, problem: null });
  freshness.live(9_000);
  expect(last()).toMatchObject({ state: 'live', staleSinceMs: null, lastContactMs: 9_000 });
  const said = states.length;
  freshness.live(10_000);
  expect(states).toHaveLength(said);
});

test('what was never reached is down', () => {
  const { freshness, last } = told();
  freshness.away({ state: 'away', problem: null, everywhere: false }, null);
  expect(last()?.state).toBe('catching-up');
  freshness.away({ state: 'away', problem: brokeOff, everywhere: false }, null);
  expect(last()).toMatchObject({ state: 'down', staleSinceMs: null });
});

test('silence is stale and no loss; another trouble is not ended by a word of the server', () => {
  const { freshness, last } = told();
  freshness.live(1_000);
  freshness.heard(1_000, 7_000);
  expect(last()).toMatchObject({ state: 'stale', problem: { why: { code: 'no-answer' } } });
  freshness.heard(7_500, 8_000);
  expect(last()).toMatchObject({ state: 'live', staleSinceMs: null });
  freshness.failed(notServing, 8_000);
  freshness.heard(9_000, 9_000);
  expect(last()).toMatchObject({ state: 'stale', problem: notServing });
});
