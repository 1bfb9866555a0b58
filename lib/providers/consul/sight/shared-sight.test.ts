import { afterEach, beforeEach, expect, test } from 'vitest';
import { liveSource, lock } from '@/lib/domain/fixture/world';
import type { World } from '@/lib/domain/model';
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
/** Consul's answers; tests change them. */
let authorize: (asks: readonly Ask[]) => Promise<readonly boolean[]>;
let list: () => Promise<readonly string[]>;

beforeEach(async () => {
  nowMs = 1_000_000;
  end = new AbortController();
  authorize = async (asks) => asks.map(() => true);
  list = async () => keys;
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
  void stage.play(async (say: StageTold) => {
    say.scene({ world, asOfMs: nowMs }, [], {} as never);
    say.source(live);
    contact = () => say.contact(nowMs);
    sourceIs = (state) => say.source({ ...live, state });
    await new Promise((resolve) => end.signal.addEventListener('abort', resolve));
  }, end.signal);
  const asker = {
    authorize: (asks: readonly Ask[]) => authorize(asks),
    keys: async () => ({ value: await list() }),
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
