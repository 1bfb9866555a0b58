import { Registry } from 'prom-client';
import { expect, test, vi } from 'vitest';
import { full, holder, liveSource, lock, waiter } from '@/lib/domain/fixture/world';
import type { World } from '@/lib/domain/model';
import { calmMs } from '@/lib/domain/rules/easing';
import { createFindingSteps, findingsOf } from '@/lib/domain/rules/table';
import type { ProviderListener } from '@/lib/domain/seam/provider';
import type { SourceState } from '@/lib/domain/source-state';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { createHub } from '@/lib/server/live/hub';
import { createSnapshotGauges } from './snapshot-gauges';

const live = liveSource({ lastContactMs: 1 });

function scraped() {
  const registry = new Registry();
  const gauges = createSnapshotGauges({ registry, rowsMax: 10 });
  let lookedFor = 0;
  /** As the hub makes them: findings are computed on demand. */
  const snapshot = (world: World, source: Partial<SourceState> = {}): Snapshot => ({
    ...world,
    version: 1,
    asOfMs: 1,
    source: { ...live, ...source },
    get findings() {
      lookedFor += 1;
      return findingsOf(world);
    },
  });
  const text = async (of: Snapshot) => {
    gauges.set(of, 5_000, () => []);
    return registry.metrics();
  };
  return { registry, gauges, snapshot, text, lookedFor: () => lookedFor };
}

const ghosts = full('jobs', [holder('a', 'ghost')], [waiter('b')]);
const world: World = { locks: [lock()], semaphores: [ghosts], sessions: [] };

test('a scrape of a world that has not moved counts nothing again, and says the same', async () => {
  const { snapshot, text, lookedFor } = scraped();
  const first = await text(snapshot(world));
  expect(first).toContain('signalbox_findings{code="ghost-slots",severity="urgent"} 1');
  expect(await text(snapshot(world))).toBe(first);
  expect(lookedFor()).toBe(1);
});

test('moved rows are counted, and the age is current, whether the world moved or not', async () => {
  const { snapshot, text, lookedFor } = scraped();
  await text(snapshot(world));
  const stale = await text(snapshot(world, { state: 'stale', staleSinceMs: 2_000 }));
  expect(stale).toContain('signalbox_data_age_seconds 3');
  expect(stale).toContain('signalbox_subjects{kind="lock"} 1');
  const moved = await text(snapshot({ ...world, semaphores: [] }));
  expect(moved).toContain('signalbox_subjects{kind="semaphore"} 0');
  expect(moved).toContain('signalbox_findings{code="ghost-slots",severity="urgent"} 0');
  expect(lookedFor()).toBe(2);
});

test('where nothing was read nothing is counted, nor left from before', async () => {
  const { snapshot, text } = scraped();
  await text(snapshot(world));
  const unread = await text(snapshot(world, { state: 'catching-up' }));
  expect(unread).not.toContain('signalbox_subjects{kind');
  expect(await text(snapshot(world))).toContain('signalbox_subjects{kind="lock"} 1');
});

test('a severity that falls by the time alone is counted, and the same world is not counted again after that', async () => {
  vi.useFakeTimers();
  try {
    const watched: { listener: ProviderListener | null } = { listener: null };
    let lookedFor = 0;
    const hub = createHub({
      provider: {
        id: 'consul',
        watch: (listener, signal) => {
          watched.listener = listener;
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
        },
      },
      now: () => Date.now(),
      instance: 'i',
      findingsOf: (of) => {
        lookedFor += 1;
        return findingsOf(of);
      },
      findingChanges: createFindingSteps(),
      onBug: () => {},
    });
    const { registry, gauges } = scraped();
    const text = () => {
      gauges.set(hub.snapshot(), Date.now(), hub.since);
      return registry.metrics();
    };
    watched.listener?.world(world, 1);
    watched.listener?.source(live);
    watched.listener?.world({ ...world, semaphores: [full('jobs', [holder('a', 'ghost')], [])] }, 2);
    expect(await text()).toContain('signalbox_findings{code="ghost-slots",severity="urgent"} 1');
    vi.advanceTimersByTime(calmMs);
    const fallen = await text();
    expect(fallen).toContain('signalbox_findings{code="ghost-slots",severity="urgent"} 0');
    expect(fallen).toContain('signalbox_findings{code="ghost-slots",severity="warning"} 1');
    const before = lookedFor;
    expect(await text()).toBe(fallen);
    expect(lookedFor).toBe(before);
    await hub.close();
  } finally {
    vi.useRealTimers();
  }
});

test('with several sources each is counted by itself, and a dashboard of one keeps its labels', async () => {
  const { snapshot, text } = scraped();
  const one = await text(snapshot(world));
  expect(one).not.toContain('source="');
  expect(one).toContain('signalbox_held{kind="lock",name="leader"} 1');
  const both: World = { ...world, locks: [lock(), lock({ source: 'other', state: 'free', holder: null })] };
  const down = { ...live, id: 'other', state: 'down', staleSinceMs: 2_000 } as const;
  const told = await text(snapshot(both, { state: 'down', parts: [live, down] }));
  expect(told).toContain('signalbox_held{kind="lock",name="leader",source="consul"} 1');
  expect(told).toContain('signalbox_held{kind="lock",name="leader",source="other"} 0');
  expect(told).toContain('signalbox_source_state{state="live",source="consul"} 1');
  expect(told).toContain('signalbox_source_state{state="down",source="other"} 1');
  expect(told).toContain('signalbox_data_age_seconds{source="other"} 3');
  expect(told).toContain('signalbox_findings{code="ghost-slots",severity="urgent",source="consul"} 1');
});

test('of a source that was never read nothing is counted, and once it is read its zeros are', async () => {
  const { snapshot, text } = scraped();
  const unread = { ...live, id: 'other', state: 'down', asOfMs: null, staleSinceMs: null } as const;
  const first = await text(snapshot(world, { parts: [live, unread] }));
  expect(first).toContain('signalbox_subjects{kind="lock",source="consul"} 1');
  expect(first).toContain('signalbox_source_state{state="down",source="other"} 1');
  expect(first).not.toMatch(/signalbox_(subjects|holders|findings)\{[^}]*source="other"/);
  const then = await text(snapshot(world, { parts: [live, { ...live, id: 'other' }] }));
  expect(then).toContain('signalbox_subjects{kind="lock",source="other"} 0');
});

test('waiters that are only counted, and the readers of a read-write lock, are in their figures', async () => {
  const { snapshot, text } = scraped();
  const shared = lock({ key: 'rw', layout: 'redisson-read-write', state: 'held', holder: holder('a') });
  const counted: World = {
    locks: [{ ...shared, readers: [holder('b'), holder('c')], waiters: null, waitingClients: 4 }],
    semaphores: [{ ...full('pool', [holder('d')], []), waitingClients: 5 }],
    sessions: [],
  };
  const said = await text(snapshot(counted));
  expect(said).toContain('signalbox_held{kind="lock",name="rw"} 3');
  expect(said).toContain('signalbox_waiters{kind="lock",name="rw"} 4');
  expect(said).toContain('signalbox_waiters{kind="semaphore",name="pool"} 5');
  expect(said).toContain('signalbox_holders{verdict="alive"} 4');
});
