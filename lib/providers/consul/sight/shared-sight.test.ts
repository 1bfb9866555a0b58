import { afterEach, beforeEach, expect, test } from 'vitest';
import { liveSource, lock } from '@/lib/domain/fixture/world';
import type { Lock, World } from '@/lib/domain/model';
import type { SourceState } from '@/lib/domain/source-state';
import type { Ask } from '@/lib/providers/consul/client/acl';
import type { Clock } from '@/lib/providers/consul/client/clock';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { until } from '@/test/support/until';
import type { RightsClient } from './rights-book';
import { createStage, type StageTold } from './server-world';
import { createSharedSight, type SharedSight } from './shared-sight';
import type { ReviewTurn } from './turns';

const keys = Array.from({ length: 200 }, (_, n) => `jobs/${String(n).padStart(3, '0')}`);
const world: World = { locks: keys.map((key) => lock({ key })), semaphores: [], sessions: [] };
const live = liveSource();
const outage = () => new ConsulError({ code: 'unavailable' }, 500, '');

let nowMs: number;
let end: AbortController;
let sight: SharedSight;
let review: ReviewTurn['take'];
let told: { world: World | null; source: SourceState | null };
let contact: () => void;
let sourceIs: (state: SourceState['state']) => void;
let worldIs: (next: World) => void;
/** Consul's answers; tests change them. */
let authorize: (asks: readonly Ask[]) => Promise<readonly boolean[]>;
let list: () => Promise<readonly string[]>;
/** Throws where the servers refuse it. */
let read: (key: string) => Promise<unknown>;

beforeEach(async () => {
  nowMs = 1_000_000;
  end = new AbortController();
  authorize = async (asks) => asks.map(() => true);
  list = async () => keys;
  read = async (key) => ({ key });
  told = { world: null, source: null };
  const clock: Clock = {
    now: () => nowMs,
    random: () => 0,
    pause: () => new Promise((resolve) => setImmediate(resolve)),
  };
  // The stage asks for its width once, and not again within a test.
  const stageClock = { ...clock, pause: () => new Promise<void>(() => {}) };
  const client = {
    authorize: async (asks: readonly Ask[]) => asks.map(() => true),
    leader: async () => 'a:1',
    list: (() => {}) as never,
  };
  const stage = createStage({ client, prefixes: [], clock: stageClock });
  const noChecks = [] as const;
  void stage.play(async (say: StageTold) => {
    worldIs = (next) => say.scene({ world: next, asOfMs: nowMs }, noChecks, {} as never);
    worldIs(world);
    say.source(live);
    contact = () => say.contact(nowMs);
    sourceIs = (state) => say.source({ ...live, state });
    await new Promise((resolve) => end.signal.addEventListener('abort', resolve));
  }, end.signal);
  const asker = {
    authorize: (asks: readonly Ask[]) => authorize(asks),
    keys: async () => ({ value: await list() }),
    get: async (key: string) => ({ value: await read(key) }),
  } as unknown as RightsClient;
  const turns = {
    join: ({ take }: ReviewTurn) => {
      review = take;
      return () => {};
    },
  };
  sight = createSharedSight({ stage, clock, turns });
  await new Promise<void>((onKnown) => {
    const bug = (error: unknown) => {
      throw error;
    };
    sight.join({ asker, from: () => '', onKnown, onBug: bug, onTurnedAway: () => {} });
  });
  void sight.watch.watch(
    {
      world: (next) => {
        told.world = next;
      },
      source: (next) => {
        told.source = next;
      },
    },
    end.signal,
  );
  expect(told.world?.locks).toHaveLength(keys.length);
});
afterEach(() => {
  sight.close();
  end.abort();
});

const turn = async (afterMs = 2_000) => {
  nowMs += afterMs;
  await review();
};

test('a key that is not listed any more is not shown, though the questions after the list fail', async () => {
  list = async () => keys.slice(1);
  authorize = () => Promise.reject(outage());
  await turn();
  expect(told.world?.locks).toHaveLength(keys.length - 1);
});

/** The world with other facts about the first key; `null`: it has no entry. */
const withFirst = (over: Partial<Lock> | null): World => {
  const [first, ...others] = world.locks;
  return { ...world, locks: over === null ? others : [{ ...lock(first), ...over }, ...others] };
};
const showsFirst = () => told.world?.locks[0]?.key === keys[0];
/** Counts the questions about the first key from now on. */
const counting = () => {
  const [working, reading] = [authorize, read];
  const asked = { count: 0 };
  authorize = (asks) => {
    asked.count += asks.filter(({ segment }) => segment === keys[0]).length;
    return working(asks);
  };
  read = (key) => {
    if (key === keys[0]) asked.count += 1;
    return reading(key);
  };
  return asked;
};

test('a lock whose entry is created again while its name is listed is shown at once, after one question', async () => {
  list = async () => keys.slice(1);
  await turn();
  worldIs(withFirst(null));
  expect(showsFirst()).toBe(false);
  const asked = counting();
  worldIs(withFirst({ createIndex: '7' }));
  await until(showsFirst, { what: 'the new entry' });
  for (const modifyIndex of ['8', '9']) {
    worldIs(withFirst({ createIndex: '7', modifyIndex }));
    await until(() => told.world?.locks[0]?.modifyIndex === modifyIndex, { what: 'a change of it' });
  }
  expect(asked.count).toBe(1);
});

test('a lock whose new entry is seen before the list without it arrives is never hidden', async () => {
  const shown: boolean[] = [];
  list = async () => {
    worldIs(withFirst({ createIndex: '7' }));
    return keys.slice(1);
  };
  const asked = counting();
  const world = (next: World) => {
    shown.push(next.locks[0]?.key === keys[0]);
  };
  void sight.watch.watch({ world, source: () => {} }, end.signal);
  await turn();
  expect(shown).toContain(true);
  expect(shown).not.toContain(false);
  expect(asked.count).toBe(1);
});

test('a right that is gone hides its key through every change of the entry, without a question', async () => {
  list = async () => [...keys.slice(1), 'new'];
  await turn();
  const asked = counting();
  for (const modifyIndex of ['8', '9']) {
    const next = withFirst({ modifyIndex });
    worldIs({ ...next, locks: [...next.locks, lock({ key: 'new', modifyIndex })] });
    await until(() => told.world?.locks.at(-1)?.modifyIndex === modifyIndex, { what: 'what came with it' });
    expect(showsFirst()).toBe(false);
    await turn();
  }
  expect(asked.count).toBe(0);
});

test('a right that is gone hides a new entry too, after one question, whatever the agent remembers', async () => {
  list = async () => keys.slice(1);
  read = async (key) => {
    if (key === keys[0]) throw new ConsulError({ code: 'forbidden' }, 403, 'Permission denied');
    return { key };
  };
  await turn();
  const asked = counting();
  for (const modifyIndex of ['7', '8', '9']) {
    worldIs(withFirst({ createIndex: '7', modifyIndex }));
    await turn();
  }
  await until(() => asked.count > 0, { what: 'the question' });
  expect(showsFirst()).toBe(false);
  expect(asked.count).toBe(1);
});

test("an answer after another question's failure is not shown by older rights", async () => {
  list = () => Promise.reject(new ConsulError({ code: 'forbidden' }, 403, ''));
  let calls = 0;
  authorize = async (asks) => {
    calls += 1;
    if (calls === 1) throw outage();
    await new Promise((resolve) => setTimeout(resolve, 20));
    return asks.map(() => false);
  };
  await turn();
  await until(() => (told.world?.locks.length ?? 0) < keys.length, { what: 'the rows to go' });
  authorize = async (asks) => asks.map(() => false);
  await turn();
  expect(told.world?.locks).toEqual([]);
});

test('where turns are slow one that fails hides nothing, the second does, and what is answered then is shown again', async () => {
  await turn(30_000);
  await turn(30_000);
  const working = authorize;
  authorize = () => Promise.reject(outage());
  await turn(30_000);
  expect(told.world?.locks).toHaveLength(keys.length);
  expect(told.source?.state).toBe('live');
  await turn(30_000);
  expect(told.world?.locks).toEqual([]);
  expect(told.source).toMatchObject({ state: 'stale', problem: { code: 'unavailable' } });
  authorize = working;
  await until(() => told.world?.locks.length === keys.length, { what: 'all of it again' });
  expect(told.source?.state).toBe('live');
});

test('a late turn is reported before it comes, and stays so while turns are slow, at any failures', async () => {
  const everyMs = () => told.source?.rightsEveryMs ?? null;
  nowMs += 12_000;
  contact();
  expect(everyMs()).toBe(15_000);
  await turn(18_000);
  expect(everyMs()).toBe(30_000);
  const working = authorize;
  authorize = () => Promise.reject(outage());
  await turn(30_000);
  authorize = working;
  expect(everyMs()).not.toBeNull();
  await turn(30_000);
  expect(everyMs()).toBe(30_000);
  await turn(30_000);
  expect(everyMs()).toBe(30_000);
  await turn();
  expect(everyMs()).toBeNull();
});

test('an outage is no slow pace, however long, nor is what comes after it', async () => {
  sourceIs('down');
  nowMs += 60_000;
  sourceIs('stale');
  contact();
  expect(told.source).toMatchObject({ state: 'stale' });
  expect(told.source?.rightsEveryMs).toBeUndefined();
  sourceIs('live');
  contact();
  expect(told.source?.rightsEveryMs).toBeUndefined();
  await turn();
  expect(told.source?.rightsEveryMs).toBeUndefined();
});
