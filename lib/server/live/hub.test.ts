import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { sawNothing } from '@/lib/domain/actions/expect';
import { holder, semaphore, session as sessionOf, waiter } from '@/lib/domain/fixture/world';
import type { Session, World } from '@/lib/domain/model';
import { calmMs, momentMs } from '@/lib/domain/rules/easing';
import { createFindingSteps, findingsOf } from '@/lib/domain/rules/table';
import type { Provider, ProviderListener } from '@/lib/domain/seam/provider';
import type { SourceState } from '@/lib/domain/source-state';
import { apply, type Patch, type WorldStep } from '@/lib/domain/world/change';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import { createHub, type Hub, type HubListener, type HubOptions } from './hub';
import { createRing } from './ring';

const session = (id: string, name = ''): Session => sessionOf({ id, name, holds: [] });
const worldOf = (...ids: string[]): World => ({
  locks: [],
  semaphores: [],
  sessions: [...ids].sort().map((id) => session(id)),
});
const source = (state: SourceState['state']): SourceState => ({
  id: 'consul',
  title: 'Consul',
  provider: 'test',
  datacenter: null,
  origin: '',
  state,
  lastContactMs: null,
  staleSinceMs: null,
  endsSeenSinceMs: null,
  restoredAtMs: null,
  renewals: [],
  problem: null,
});

/** A provider under the test's control. */
function fakeProvider() {
  const watches: { listener: ProviderListener; signal: AbortSignal; fail(error: Error): void }[] = [];
  const never = () => Promise.reject(new Error('not here'));
  const provider: Provider = {
    id: 'test',
    watch: (listener, signal) =>
      new Promise((resolve, reject) => {
        watches.push({ listener, signal, fail: reject });
        signal.addEventListener('abort', () => resolve());
      }),
    plan: never,
    saw: () => sawNothing,
    apply: never,
    close: () => {},
  };
  const say = (world: World, asOfMs = 1) => watches.at(-1)?.listener.world(world, asOfMs);
  return { provider, watches, say };
}

function start(more: Partial<HubOptions> = {}): { hub: Hub } & ReturnType<typeof fakeProvider> {
  const fake = fakeProvider();
  const hub = createHub({
    provider: fake.provider,
    now: () => 0,
    instance: 'i',
    findingsOf: () => [],
    onBug: () => {},
    ...more,
  });
  return { hub, ...fake };
}

function collector() {
  const patches: Patch[] = [];
  let closed = false;
  const listener: HubListener = {
    step: ({ patch }) => patches.push(patch),
    closed: () => {
      closed = true;
    },
  };
  return { listener, patches, isClosed: () => closed };
}

test('a watch that ended for a bug calls nothing live, begins anew, and keeps the earlier world and since when it is old', async () => {
  vi.useFakeTimers();
  try {
    const { hub, watches, say } = start({ now: () => 7 });
    const told = () => hub.snapshot().source;
    expect(wasRead(told())).toBe(false);
    watches[0]?.listener.source({ ...source('catching-up'), lastContactMs: 3 });
    expect(wasRead(told())).toBe(false);
    say(worldOf('a'));
    watches[0]?.listener.source(source('live'));
    watches[0]?.fail(new Error('a bug'));
    await vi.advanceTimersByTimeAsync(0);
    expect(told()).toMatchObject({ state: 'catching-up', staleSinceMs: 7 });
    expect(watches).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(watches).toHaveLength(2);
    // The new one has no world yet.
    expect(hub.snapshot().sessions).toHaveLength(1);
    watches[1]?.listener.source(source('catching-up'));
    expect(told()).toMatchObject({ state: 'catching-up', staleSinceMs: 7 });
    watches[1]?.listener.source(source('live'));
    expect(told()).toMatchObject({ state: 'live', staleSinceMs: null });
  } finally {
    vi.useRealTimers();
  }
});

test('a viewer that applies its start and every patch sees what the hub sees, whenever it joins or comes back', async () => {
  const ids = fc.subarray(['a', 'b', 'c', 'd', 'e']);
  await fc.assert(
    fc.asyncProperty(
      fc.array(ids, { maxLength: 30 }),
      fc.nat(30),
      fc.nat(30),
      async (worlds, joinAt, backAt) => {
        const { hub, say } = start();
        const { listener, patches } = collector();
        let view: Snapshot | null = null;
        let leave = () => {};
        const follow = (since: number | null) => {
          const subscription = hub.subscribe(listener, since);
          leave = subscription.leave;
          if (subscription.start.from === 'snapshot') view = subscription.start.snapshot;
          else patches.push(...subscription.start.steps.map(({ patch }) => patch));
        };
        const catchUp = () => {
          for (const patch of patches.splice(0)) view = view === null ? null : apply(view, patch);
        };
        worlds.forEach((world, n) => {
          if (n === joinAt) follow(null);
          // Leaves for one change, and returns with its old version.
          if (n === backAt && n > joinAt) {
            catchUp();
            leave();
            say(worldOf('z', ...world));
            follow(view === null ? null : (view as Snapshot).version);
          }
          say(worldOf(...world));
        });
        if (view !== null) {
          catchUp();
          expect(view).toEqual({ ...hub.snapshot(), asOfMs: (view as Snapshot).asOfMs });
        }
        await hub.close();
      },
    ),
    { numRuns: 200 },
  );
});

test('an equal world notifies no listener', async () => {
  const { hub, say } = start();
  say(worldOf('a'), 1);
  const { listener, patches } = collector();
  hub.subscribe(listener, null);
  say(worldOf('a'), 2);
  expect(patches).toEqual([]);
  expect(hub.snapshot().asOfMs).toBe(2);
  await hub.close();
});

test('a change of freshness is a patch with the source alone', async () => {
  const { hub, watches } = start();
  const { listener, patches } = collector();
  hub.subscribe(listener, null);
  watches[0]?.listener.source(source('down'));
  expect(patches).toMatchObject([
    { from: 1, to: 2, source: { state: 'down' }, put: {}, edit: {}, remove: {} },
  ]);
  await hub.close();
});

const stepFrom = (from: number, remove: Patch['remove'] = {}): WorldStep => ({
  patch: { from, to: from + 1, asOfMs: 0, put: {}, edit: {}, remove },
  sessions: [],
  findings: [],
});

test('findings that are not kept come in patches, and are computed on demand from the world of their snapshot', async () => {
  const asked: number[] = [];
  const { hub, say, watches } = start({
    findingsOf: (world) => {
      asked.push(world.sessions.length);
      return findingsOf(world);
    },
    findingChanges: createFindingSteps(),
  });
  const { listener, patches } = collector();
  hub.subscribe(listener, null);
  const whole = (...ids: string[]): World => ({ ...worldOf(...ids), scope: 'whole' });
  say(whole('a'));
  const first = hub.snapshot();
  say(whole('a', 'b'));
  watches[0]?.listener.source(source('live'));
  const leak = (id: string) => `session-leak session:${id}`;
  expect(patches.map(({ put }) => put.findings?.map(({ id }) => id))).toEqual([
    [leak('a')],
    [leak('b')],
    undefined,
  ]);
  expect(asked).toEqual([]);
  // Two worlds later, the snapshot still has its own findings.
  expect(first.findings.map(({ id }) => id)).toEqual([leak('a')]);
  expect(JSON.parse(JSON.stringify(hub.snapshot())).findings).toMatchObject([
    { id: leak('a') },
    { id: leak('b') },
  ]);
  say(whole('b'));
  expect(patches.at(-1)?.remove.findings).toEqual([leak('a')]);
  await hub.close();
});

test('a severity falls late for all at once: in patches, in snapshots, in past ones, by time and by change', async () => {
  vi.useFakeTimers();
  try {
    const { hub, say } = start({ now: () => Date.now(), findingsOf, findingChanges: createFindingSteps() });
    let view: Snapshot | null = null;
    const { start: first } = hub.subscribe(
      {
        step: ({ patch }) => {
          view = view === null ? null : apply(view, patch);
        },
        closed: () => {},
      },
      null,
    );
    if (first.from === 'snapshot') view = structuredClone(first.snapshot);
    const ghosts = (...waiters: string[]): World => ({
      ...worldOf(),
      semaphores: [semaphore({ holders: [holder('g', 'ghost')], waiters: waiters.map((id) => waiter(id)) })],
    });
    const told = () => {
      expect(view).toEqual(JSON.parse(JSON.stringify(hub.snapshot())));
      return hub.snapshot().findings.find(({ code }) => code === 'ghost-slots')?.severity;
    };
    const seen: unknown[] = [];
    for (let n = 0; n < 96; n += 1) {
      say(n % 2 === 0 ? ghosts('w') : ghosts());
      seen.push(told());
      vi.advanceTimersByTime(1_875);
    }
    expect(new Set(seen)).toEqual(new Set(['urgent']));
    const past = hub.snapshot();
    vi.advanceTimersByTime(calmMs);
    expect(told()).toBe('warning');
    expect(past.findings[0]?.severity).toBe('urgent');
    say(ghosts('w'));
    expect(told()).toBe('urgent');
    say(ghosts());
    await hub.close();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test('a finding at the first look, or after a gap, is shown at once; a later one once it has lasted a moment', () => {
  vi.useFakeTimers();
  try {
    const { hub, watches, say } = start({
      now: () => Date.now(),
      findingsOf,
      findingChanges: createFindingSteps(),
    });
    const tell = (state: SourceState['state']) => watches[0]?.listener.source(source(state));
    const found = () => hub.snapshot().findings.map(({ id }) => id.split(':').at(-1));
    const whole = (...ids: string[]): World => ({ ...worldOf(...ids), scope: 'whole' });
    tell('live');
    say(whole('a'));
    expect(found()).toEqual(['a']);
    say(whole('a', 'b'));
    expect(found()).toEqual(['a']);
    vi.advanceTimersByTime(momentMs);
    expect(found()).toEqual(['a', 'b']);
    tell('down');
    say(whole('a', 'b', 'c'));
    expect(found()).toEqual(['a', 'b', 'c']);
    void hub.close();
  } finally {
    vi.useRealTimers();
  }
});

test('findings of a world that a bug kept unpublished come with the next', async () => {
  const { hub, say } = start({ findingsOf, findingChanges: createFindingSteps() });
  const { listener, patches } = collector();
  hub.subscribe(listener, null);
  const whole = (...ids: string[]): World => ({ ...worldOf(...ids), scope: 'whole' });
  say(whole('a'));
  const broken = whole('a', 'b');
  for (const one of broken.sessions)
    Object.defineProperty(one, 'createIndex', {
      get: () => {
        throw new Error('a bug');
      },
    });
  expect(() => say(broken)).toThrow('a bug');
  say(whole('a', 'b'));
  expect(patches.at(-1)?.put.findings?.map(({ id }) => id)).toEqual(['session-leak session:b']);
  say(whole('a', 'b', 'c'));
  expect(patches.at(-1)?.put.findings?.map(({ id }) => id)).toEqual(['session-leak session:c']);
  await hub.close();
});

test('a version that is no longer in the ring gets a snapshot, never a patch that does not join', () => {
  const ring = createRing(2);
  for (const from of [1, 2, 3]) ring.push(stepFrom(from));
  expect(ring.since(1, 4)).toBeNull();
  expect(ring.since(2, 4)?.map(({ patch }) => patch.from)).toEqual([2, 3]);
  expect(ring.since(4, 4)).toEqual([]);
  expect(ring.since(9, 4)).toBeNull();
});

test('a ring of patches that carry many rows keeps fewer of them', () => {
  const ring = createRing(100, 10);
  for (const from of [1, 2, 3]) ring.push(stepFrom(from, { locks: ['a', 'b', 'c', 'd'] }));
  expect(ring.since(1, 4)).toBeNull();
  expect(ring.since(2, 4)).toHaveLength(2);
});

test('a step that says most of what a snapshot says is not kept, nor what came before it; one of many renewals is', () => {
  const putting = (from: number, put: Patch['put']): WorldStep => {
    const step = stepFrom(from);
    return { ...step, patch: { ...step.patch, put } };
  };
  const many = <T>(count: number) => Array.from({ length: count }, () => ({}) as T);
  const ring = createRing();
  ring.push(stepFrom(1), 4_000);
  ring.push(putting(2, { locks: many(1_990) }), 4_000);
  ring.push(putting(3, { renewals: many(4_000) }), 4_000);
  expect(ring.since(1, 4)).toHaveLength(3);
  ring.push(putting(4, { locks: many(2_010) }), 4_000);
  expect(ring.since(1, 5)).toBeNull();
  expect(ring.since(4, 5)).toBeNull();
  // In a small world patches cost a reader nothing.
  ring.push(putting(5, { locks: many(90) }), 90);
  expect(ring.since(5, 6)).toHaveLength(1);
});

test('a hub that closes ends its viewers and its watch', async () => {
  const { hub, watches } = start();
  const viewer = collector();
  hub.subscribe(viewer.listener, null);
  await hub.close();
  expect(viewer.isClosed()).toBe(true);
  expect(watches[0]?.signal.aborted).toBe(true);
  expect(hub.viewers).toBe(0);
});

test('readiness comes with the first world, and at the latest when the time is over', async () => {
  const { hub, say } = start();
  await hub.ready(1);
  expect(hub.snapshot().source.state).toBe('catching-up');
  const ready = hub.ready(60_000);
  say(worldOf('a'));
  await ready;
  await hub.close();
});

test('a live source is published once its world is shown, and not where it has become old meanwhile', async () => {
  const { hub, watches, say } = start({ findingChanges: createFindingSteps() });
  const ids = Array.from({ length: 5_000 }, (_, n) => `s${n}`);
  const tell = (state: SourceState['state']) => watches[0]?.listener.source(source(state));
  const told = () => [hub.snapshot().source.state, hub.snapshot().sessions.length];
  const taken = say(worldOf(...ids));
  tell('live');
  expect(told()).toEqual(['catching-up', 0]);
  await taken;
  await new Promise(setImmediate);
  expect(told()).toEqual(['live', ids.length]);

  const again = say(worldOf());
  tell('live');
  tell('stale');
  await again;
  await new Promise(setImmediate);
  expect(told()).toEqual(['stale', 0]);
  await hub.close();
});

test('findings built from earlier ones are those of their world, at any time of asking', async () => {
  const crowds = fc.array(fc.option(fc.integer({ min: 49, max: 52 }), { nil: null }), {
    minLength: 4,
    maxLength: 4,
  });
  const steps = fc.array(fc.record({ crowds, asks: fc.boolean() }), { minLength: 2, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { hub, say } = start({ findingsOf, findingChanges: createFindingSteps() });
      const held: Snapshot[] = [];
      for (const { crowds: sizes, asks } of all) {
        const semaphores = sizes.flatMap((size, n) =>
          size === null
            ? []
            : [
                semaphore({
                  prefix: `pool-${n}`,
                  waiters: Array.from({ length: size }, (_, w) => waiter(`w${w}`)),
                }),
              ],
        );
        const world: World = { ...worldOf(), semaphores };
        await say(world);
        if (!asks) continue;
        held.push(hub.snapshot());
        expect(hub.snapshot().findings).toEqual(findingsOf(world));
      }
      await hub.close();
    }),
    { numRuns: 60 },
  );
});
