/**
 * Views made while more readings come in. The readings are scripted: on a real agent these moments last microseconds.
 */
import { expect, test } from 'vitest';
import type { ConsulClient, Reply } from '@/lib/providers/consul/client/client';
import { systemClock } from '@/lib/providers/consul/client/clock';
import type { KvRow, SessionRow } from '@/lib/providers/consul/client/wire';
import { rowOf, sessionRowOf } from '@/lib/providers/consul/fixture/rows';
import type { ConsulView } from '@/lib/providers/consul/recognise/view';
import { createRenewals } from '@/lib/providers/consul/renewals/renewals';
import { newEndedKnown } from './ended-sessions';
import { newWholeKnown } from './key-visibility';
import { newAnswers } from './known-answers';
import { newReadings, newRoot, type Reading, take } from './readings';
import { createShowing, type PublisherState } from './view-publisher';

const row = (key: string, session: string | null, modifyIndex = '1'): KvRow =>
  rowOf(key, { session, modifyIndex, lockIndex: '1' });
const session = (id: string): SessionRow => sessionRowOf(id, { behavior: 'delete', lockDelayMs: 15_000 });
const reply = <T>(value: T, index: string): Reply<T> => ({
  value,
  index,
  lastContactMs: 0,
  knownLeader: true,
  filtered: false,
});

/** A publisher of one root. The test answers its calls to Consul in the order in which they are made. */
function stage() {
  const readings = newReadings(['']);
  const [root] = readings.roots;
  if (root === undefined) throw new Error('no root');
  const memory: PublisherState = {
    observed: null,
    hidden: new Set(),
    asked: newAnswers(),
    ended: newEndedKnown(),
    keyRule: { enforced: false, askedMs: null },
    whole: newWholeKnown(),
    afterGap: true,
    gapTick: 0,
    gapUnshown: false,
    late: false,
    unshownSinceMs: null,
  };
  const asked: { what: string; answer: (value: Reply<unknown>) => void }[] = [];
  const views: ConsulView[] = [];
  let nowMs = 0;
  let told = false;
  let wake = () => {};
  const ask = (what: string) =>
    new Promise<never>((resolve) => {
      asked.push({ what, answer: resolve as never });
      wake();
    });
  const client = {
    sessions: () => ask('sessions'),
    get: (key: string) => ask(key),
    authorize: async () => [true],
  };
  const end = new AbortController();
  const showing = createShowing(
    {
      client: client as unknown as ConsulClient,
      clock: { ...systemClock, now: () => nowMs },
      readings,
      memory,
      renewals: createRenewals([], ''),
      onView: (view) => {
        views.push(view);
        wake();
      },
      tell: () => {
        told = true;
      },
    },
    end.signal,
  );
  const next = <T>(of: T[]) =>
    new Promise<T>((resolve) => {
      wake = () => {
        const first = of.shift();
        if (first === undefined) return;
        wake = () => {};
        resolve(first);
      };
      wake();
    });
  const comesIn = <T>(one: Reading<T>, value: T, index: string, askedTick = readings.tick) =>
    take(readings, one, reply(value, index), { askedTick, stale: false });
  return {
    readings,
    memory,
    showing,
    shown: () => views.length > 0,
    told: () => told && memory.late,
    passes: (ms: number) => {
      nowMs += ms;
    },
    rows: (rows: readonly KvRow[], index: string) => {
      readings.tick += 1;
      root.changedTick = readings.tick;
      comesIn(root, rows, index);
    },
    /** As the feed takes it in; `askedTick`: long ago for a blocking query. */
    sessions: (ids: readonly string[], index: string, askedTick?: number) =>
      comesIn(readings.sessions, ids.map(session), index, askedTick),
    checks: () => comesIn(readings.checks, [], '1'),
    asked: () => next(asked),
    view: () => next(views),
    answer: (ids: readonly string[], index: string) => reply(ids.map(session), index),
    end: async () => {
      end.abort();
      await showing.ended;
    },
  };
}

test('a session that ends while another is being proven is seen to end with its rows, not before them', async () => {
  const on = stage();
  on.rows([row('a', 'x')], '10');
  on.sessions(['x'], '9');
  on.checks();
  on.showing.request();
  await on.view();

  // No list names the session of these rows, so one row is read again to see whether the session is only hidden.
  on.rows([row('a', 'x'), row('b', 'unseen')], '11');
  on.showing.request();
  (await on.asked()).answer(on.answer(['x'], '9'));
  const proof = await on.asked();
  expect(proof.what).toBe('b');
  // The end of `x` comes in; the end of its row is still on its way.
  on.sessions([], '12');
  proof.answer(reply(row('b', 'unseen'), '11') as Reply<unknown>);
  const before = await on.view();
  expect(before.sessions?.map(({ id }) => id)).toEqual(['x']);

  on.rows([row('b', 'unseen')], '12');
  on.showing.request();
  (await on.asked()).answer(on.answer([], '12'));
  const after = await on.view();
  expect(after.sightings.delay('a')).toMatchObject({ sessionId: 'x', basis: 'seen' });
  await on.end();
});

test('a list that was asked for early and comes in late takes nothing back', async () => {
  const on = stage();
  on.sessions(['x', 'idle'], '9');
  on.checks();
  on.rows([row('a', 'x')], '10');
  on.showing.request();
  const late = await on.asked();
  on.sessions(['x'], '11', 0);
  late.answer(on.answer(['x', 'idle'], '9'));
  await on.view();
  expect(on.readings.sessions.value?.map(({ id }) => id)).toEqual(['x']);
  await on.end();
});

test('rows that will not fit are shown in the end, as a gap from which no end of a session is read', async () => {
  const on = stage();
  on.rows([row('a', 'x')], '10');
  on.sessions(['x'], '9');
  on.checks();
  on.showing.request();
  await on.view();
  // `y` came, took `b` and went between two lists, and the rows that show it do not come.
  on.rows([row('a', 'x'), row('b', 'y')], '12');
  on.showing.request();
  (await on.asked()).answer(on.answer([], '13'));
  for (let tries = 0; tries < 40; tries += 1) {
    // The process was suspended for most of the time: time alone is no reason.
    on.passes(2_000);
    for (const key of ['a', 'b']) {
      const proof = await on.asked();
      expect(proof.what).toBe(key);
      expect(on.shown()).toBe(false);
      expect(on.told(), 'that what is on show is not fresh').toBe(tries > 2);
      proof.answer(reply(null, '13') as Reply<unknown>);
    }
    on.showing.request();
  }
  const view = await on.view();
  expect(view.rows.map(({ session }) => session)).toEqual(['x', 'y']);
  expect(on.memory.late).toBe(false);
  expect(on.memory.observed?.endsSeenSinceMs, 'since when no end was missed').toBe(view.nowMs);
  await on.end();
});

test('a part that fails while its rows are being proven is a gap of the view after it', async () => {
  const on = stage();
  on.rows([row('a', 'x')], '10');
  on.sessions(['x'], '9');
  on.checks();
  on.showing.request();
  await on.view();

  on.rows([row('a', 'x'), row('b', 'unseen')], '11');
  on.showing.request();
  (await on.asked()).answer(on.answer(['x'], '9'));
  const proof = await on.asked();
  // A part failed, and a whole that is still unread is in its place.
  const whole = newRoot({ prefix: '', of: '', exact: false }, { ...on.readings.roots[0], current: false });
  on.readings.roots = [whole];
  on.memory.afterGap = true;
  proof.answer(reply(row('b', 'unseen'), '11') as Reply<unknown>);
  await new Promise((resolve) => setImmediate(resolve));
  expect(on.shown()).toBe(false);

  on.passes(1_000);
  take(on.readings, whole, reply([row('a', 'x')], '12'), { askedTick: on.readings.tick, stale: false });
  on.showing.request();
  const view = await on.view();
  expect(on.memory.observed?.endsSeenSinceMs, 'since when no end was missed').toBe(view.nowMs);
  await on.end();
});

test('a session that comes into view with a list that was asked for was not seen to begin', async () => {
  const on = stage();
  on.rows([row('a', 'x')], '10');
  on.sessions(['x'], '9');
  on.checks();
  on.showing.request();
  await on.view();
  const since = async (id: string, createIndex: string, index: string) => {
    on.passes(1_000);
    on.rows([row('a', 'x'), row('b', id)], index);
    on.showing.request();
    const list = await on.asked();
    expect(list.what).toBe('sessions');
    list.answer(reply([session('x'), { ...session(id), createIndex }], index));
    return (await on.view()).sightings.sessionSince(id)?.basis;
  };
  expect(await since('created', '11', '11')).toBe('observed');
  expect(await since('hidden', '8', '12')).toBe('at-least');
  expect(await since('next', '13', '13')).toBe('observed');
  await on.end();
});

test('a gap that is found while the rows before it are being proven counts for the rows after it', async () => {
  const on = stage();
  on.rows([row('a', 'x')], '10');
  on.sessions(['x'], '9');
  on.checks();
  on.showing.request();
  await on.view();

  const gap = () => {
    on.readings.tick += 1;
    on.memory.gapTick = on.readings.tick;
    on.memory.afterGap = true;
  };
  on.passes(1_000);
  on.rows([row('a', 'x'), row('b', 'x')], '11');
  gap();
  on.showing.request();
  const list = await on.asked();
  on.rows([row('a', 'x'), row('b', 'x'), row('c', 'x')], '12');
  gap();
  on.showing.request();
  list.answer(on.answer(['x'], '9'));
  const first = await on.view();
  expect([first.sightings.heldSince('b', 'x')?.basis, first.sightings.heldSince('c', 'x')]).toEqual([
    'at-least',
    null,
  ]);
  (await on.asked()).answer(on.answer(['x'], '9'));
  expect((await on.view()).sightings.heldSince('c', 'x')?.basis).toBe('at-least');
  expect(on.memory.afterGap).toBe(false);
  await on.end();
});
