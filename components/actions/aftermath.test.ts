import { describe, expect, test } from 'vitest';
import {
  holderOf,
  idOf,
  lockOf,
  nowMs,
  semaphoreOf,
  sessionOf,
  snapshotOf,
  waiterOf,
} from '@/components/fixture/world';
import type { Action } from '@/lib/domain/actions/action';
import {
  type Aftermath,
  type AftermathStep,
  listedStill,
  lookAtAll,
  nameMs,
  patienceMs,
  pin,
  queuePatienceMs,
  standing,
  storyOf,
  takersOf,
} from '@/lib/domain/actions/aftermath';
import type { Holder } from '@/lib/domain/model';
import { shortId } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';

const one = holderOf(1);
/** The whole story, including takers whose names are still awaited. */
const whole = (seen: Aftermath) => storyOf(seen, Number.POSITIVE_INFINITY);
const codes = (seen: Aftermath) => whole(seen).map(({ code }) => code);
/** A label, a limit or the number of slots. */
const whoOf = ({ whom, count }: AftermathStep) => whom?.label ?? (count === null ? null : String(count));
const evict: Action = {
  type: 'semaphore.evict',
  source: 'consul',
  prefix: 's',
  sessionId: one.sessionId,
  how: 'destroy-session',
};
const release: Action = { type: 'lock.release', source: 'consul', key: 'k', how: 'destroy-session' };

describe('evict', () => {
  const before = snapshotOf({ semaphores: [semaphoreOf('s')] });
  const pinned = pin(evict, before);
  const out = snapshotOf({ semaphores: [semaphoreOf('s', { holders: [holderOf(2), holderOf(3)] })] });
  const taken = snapshotOf({
    semaphores: [semaphoreOf('s', { holders: [holderOf(2), holderOf(3), holderOf(15)] })],
  });

  test('nothing is claimed before the live data shows it', () => {
    const steps = lookAtAll(pinned, before, nowMs);
    expect(whole(steps)).toEqual([]);
    expect(standing(steps, { sentAtMs: nowMs, nowMs })).toBe('unseen');
  });
  test('out, free, taken: each with the time at which it was first seen', () => {
    let steps = lookAtAll(pinned, out, nowMs + 1000);
    steps = lookAtAll(steps, out, nowMs + 2000);
    steps = lookAtAll(steps, taken, nowMs + 3000);
    expect(whole(steps).map((step) => [step.code, whoOf(step), step.atMs - nowMs])).toEqual([
      ['gone', 'worker-1', 1000],
      ['slot-free', '1', 1000],
      ['taken', 'worker-15', 3000],
    ]);
    expect(standing(steps, { sentAtMs: nowMs, nowMs: nowMs + 4000 })).toBe('complete');
  });
  test('a slot that passes on between two looks is taken, and was never shown as free', () => {
    expect(codes(lookAtAll(pinned, taken, nowMs))).toEqual(['gone', 'taken']);
  });
  test('later changes by the taker are not followed', () => {
    const steps = lookAtAll(lookAtAll(pinned, taken, nowMs), out, nowMs + 9000);
    expect(codes(steps)).toEqual(['gone', 'taken']);
  });
  test('no new holder is reported after patience and not before', () => {
    const steps = lookAtAll(pinned, out, nowMs);
    const at = (later: number) => standing(steps, { sentAtMs: nowMs, nowMs: nowMs + later });
    expect(at(patienceMs - 1)).toBe('watching');
    expect(at(patienceMs)).toBe('nobody');
  });
  test('others who come and go are not its doing', () => {
    const others = snapshotOf({
      semaphores: [semaphoreOf('s', { holders: [one, holderOf(3), holderOf(15)] })],
    });
    expect(whole(lookAtAll(pinned, others, nowMs))).toEqual([]);
  });
});

describe('release', () => {
  const before = snapshotOf({ locks: [lockOf('k', { lockIndex: '4' })] });
  const pinned = pin(release, before);
  const look = (over: Parameters<typeof lockOf>[1]) =>
    snapshotOf({ locks: [lockOf('k', { lockIndex: '4', ...over })] });

  test('a lock-delay is waited out before patience begins', () => {
    const delayed = look({ state: 'delayed', holder: null, delayedUntilMs: nowMs + 15_000 });
    const steps = lookAtAll(pinned, delayed, nowMs);
    expect(codes(steps)).toEqual(['gone', 'delayed']);
    const at = (later: number) => standing(steps, { sentAtMs: nowMs, nowMs: nowMs + later });
    expect(at(patienceMs)).toBe('watching');
    expect(at(15_000 + patienceMs)).toBe('nobody');
  });
  test('the end of a lock-delay is a step once it was seen, and only then', () => {
    const delayed = look({ state: 'delayed', holder: null, delayedUntilMs: nowMs + 15_000 });
    const free = look({ state: 'free', holder: null });
    const seen = lookAtAll(pinned, delayed, nowMs);
    expect(codes(lookAtAll(seen, free, nowMs + 15_000))).toEqual(['gone', 'delayed', 'delay-over']);
    expect(codes(lookAtAll(seen, look({ holder: holderOf(2), lockIndex: '5' }), nowMs))).toEqual([
      'gone',
      'delayed',
      'taken',
    ]);
    expect(codes(lookAtAll(pinned, free, nowMs))).toEqual(['gone', 'lock-free']);
  });
  test('the same session that takes the lock again differs from one that never left', () => {
    expect(whole(lookAtAll(pinned, look({}), nowMs))).toEqual([]);
    expect(codes(lookAtAll(pinned, look({ lockIndex: '5' }), nowMs))).toEqual(['gone', 'retaken']);
  });
  test('a plain write by the holder is no new acquisition, and a recreated key is one', () => {
    expect(whole(lookAtAll(pinned, look({ lockIndex: '0', modifyIndex: '12' }), nowMs))).toEqual([]);
    expect(codes(lookAtAll(pinned, look({ createIndex: '12' }), nowMs))).toEqual(['gone', 'retaken']);
  });
  test('a holder that was seen to leave is seen to return, though a plain write has reset the count', () => {
    const out = lookAtAll(pinned, look({ state: 'free', holder: null }), nowMs);
    const back = lookAtAll(out, look({ lockIndex: '0' }), nowMs + 1000);
    expect(codes(back)).toEqual(['gone', 'lock-free', 'retaken']);
    expect(standing(back, { sentAtMs: nowMs, nowMs: nowMs + patienceMs })).toBe('complete');
  });
  test('a lock with an unknown holder is not called released', () => {
    expect(whole(lookAtAll(pinned, look({ state: 'unknown', holder: null }), nowMs))).toEqual([]);
  });
  test('a key that went with its session is gone at once, and not only when its lock-delay is over', () => {
    const delayed = { state: 'delayed', holder: null, delayedUntilMs: nowMs + 15_000 } as const;
    const steps = lookAtAll(pinned, look({ ...delayed, exists: false }), nowMs);
    expect(codes(steps)).toEqual(['gone', 'entry-gone', 'delayed']);
    expect(codes(lookAtAll(steps, snapshotOf(), nowMs + 15_000))).toEqual(codes(steps));
  });
  test('a key that went with its session is said to be gone with its holder, and the next holder is watched for', () => {
    const steps = lookAtAll(pinned, snapshotOf(), nowMs);
    expect(codes(steps)).toEqual(['gone', 'entry-gone']);
    const at = (later: number) => standing(steps, { sentAtMs: nowMs, nowMs: nowMs + later });
    expect([at(0), at(patienceMs)]).toEqual(['watching', 'nobody']);
  });
  test('a free lock that was deleted is gone, and nobody is watched for', () => {
    const free = pin(
      { type: 'lock.delete', source: 'consul', key: 'k' },
      look({ state: 'free', holder: null }),
    );
    const steps = lookAtAll(free, snapshotOf(), nowMs);
    expect(codes(steps)).toEqual(['entry-gone']);
    expect(standing(steps, { sentAtMs: nowMs, nowMs })).toBe('complete');
  });
});

describe('a client that returns with a new session', () => {
  /** The steps shown after each look, every 100 ms. */
  function toldAfter(
    pinned: Aftermath,
    looks: readonly Snapshot[],
  ): (readonly [AftermathStep['code'], string | null])[][] {
    let steps = pinned;
    return looks.map((one, i) => {
      const atMs = nowMs + i * 100;
      steps = lookAtAll(steps, one, atMs);
      return storyOf(steps, atMs).map((step) => [step.code, whoOf(step)] as const);
    });
  }

  test('Patroni: its member is out with the key, and takes it again; it is out once', () => {
    const text = { encoding: 'text', content: 'pg1', bytes: 3, truncated: false } as const;
    const leader = (n: number) =>
      snapshotOf({ locks: [lockOf('k', { holder: holderOf(n, 'alive', { label: 'pg1', value: text }) })] });
    const pinned = pin(release, leader(1));
    const told = toldAfter(pinned, [leader(1), snapshotOf(), leader(2), leader(2)]);
    const out = [
      ['gone', 'pg1'],
      ['entry-gone', null],
    ];
    expect(told).toEqual([[], out, [...out, ['returned', 'pg1']], [...out, ['returned', 'pg1']]]);
  });

  test('Terraform: the client is named by its lock info, and never by its earlier session id', () => {
    const session = { name: 'Consul API Lock', node: 'n1' };
    const look = (holder: Holder | null) =>
      snapshotOf({ locks: [lockOf('k', { layout: 'terraform', holder, state: holder ? 'held' : 'free' })] });
    const named = (n: number) => look(holderOf(n, 'alive', { session, label: 'root@vm' }));
    const nameless = look(holderOf(2, 'alive', { session, label: shortId(idOf(2)) }));
    const pinned = pin(release, named(1));
    const out = [
      ['gone', 'root@vm'],
      ['lock-free', null],
    ];
    const told = toldAfter(pinned, [look(null), nameless, nameless, named(2), named(2), nameless]);
    const back = [...out, ['returned', 'root@vm']];
    expect(told).toEqual([out, out, out, back, back, back]);
    const late = toldAfter(pinned, [look(null), ...Array.from({ length: nameMs / 100 + 2 }, () => nameless)]);
    expect(late.at(-3)).toEqual(out);
    expect(late.at(-1)).toEqual([...out, ['taken', null]]);
  });

  test('one of the same name that was there before has waited, and has not returned', () => {
    const look = (n: number) =>
      snapshotOf({ locks: [lockOf('k', { holder: holderOf(n, 'alive', { label: 'pool' }) })] });
    const waited = { ...look(1), sessions: [sessionOf(1), sessionOf(2)] };
    expect(codes(lookAtAll(pin(release, waited), look(2), nowMs))).toEqual(['gone', 'taken']);
    expect(codes(lookAtAll(pin(release, look(1)), look(2), nowMs))).toEqual(['gone', 'returned']);
  });

  test('an evicted holder that takes a slot again', () => {
    const pool = (...ids: number[]) =>
      snapshotOf({
        semaphores: [
          semaphoreOf('s', { holders: ids.map((n) => holderOf(n, 'alive', { label: `w${n % 10}` })) }),
        ],
      });
    const pinned = pin(evict, pool(1, 2));
    const told = toldAfter(pinned, [pool(2), pool(2, 11)]);
    expect(told.at(-1)).toEqual([
      ['gone', 'w1'],
      ['slot-free', '1'],
      ['returned', 'w1'],
    ]);
  });
});

test('a prune follows its ghosts alone', () => {
  const ghosts = semaphoreOf('s', { holders: [one, holderOf(8, 'ghost'), holderOf(9, 'ghost')] });
  const pinned = pin(
    { type: 'semaphore.prune', source: 'consul', prefixes: ['s'] },
    snapshotOf({ semaphores: [ghosts] }),
  );
  const after = snapshotOf({ semaphores: [semaphoreOf('s', { holders: [holderOf(5)] })] });
  const steps = lookAtAll(pinned, after, nowMs);
  expect(whole(steps).filter((step) => step.code === 'gone')).toHaveLength(2);
  expect(whole(steps).some((step) => whoOf(step) === one.label)).toBe(false);
});

test('two slots of two pruned ghosts are freed, reported once', () => {
  const ghosts = semaphoreOf('s', { holders: [one, holderOf(8, 'ghost'), holderOf(9, 'ghost')] });
  const pinned = pin(
    { type: 'semaphore.prune', source: 'consul', prefixes: ['s'] },
    snapshotOf({ semaphores: [ghosts] }),
  );
  const looks = [[one], [one, holderOf(5)]].map((holders) =>
    snapshotOf({ semaphores: [semaphoreOf('s', { holders })] }),
  );
  const steps = looks.reduce((before, look) => lookAtAll(before, look, nowMs), pinned);
  expect(
    whole(steps)
      .filter(({ code }) => code === 'slot-free')
      .map(whoOf),
  ).toEqual(['2']);
});

test('a resize is done when the new limit is seen', () => {
  const pinned = pin(
    { type: 'semaphore.resize', source: 'consul', prefix: 's', limit: 5 },
    snapshotOf({ semaphores: [semaphoreOf('s')] }),
  );
  expect(whole(lookAtAll(pinned, snapshotOf({ semaphores: [semaphoreOf('s')] }), nowMs))).toEqual([]);
  const steps = lookAtAll(pinned, snapshotOf({ semaphores: [semaphoreOf('s', { limit: 5 })] }), nowMs);
  expect(codes(steps)).toEqual(['limit']);
  expect(standing(steps, { sentAtMs: nowMs, nowMs })).toBe('complete');
});

describe('a resize under those who wait', () => {
  const waiting = (...ns: number[]) =>
    snapshotOf({ semaphores: [semaphoreOf('s', { waiters: ns.map((n) => waiterOf(n)) })] });
  const pinned = pin({ type: 'semaphore.resize', source: 'consul', prefix: 's', limit: 5 }, waiting(6, 7));
  const look = (waiters: number[], holders = [1, 2, 3], limit = 5) =>
    snapshotOf({
      semaphores: [
        semaphoreOf('s', {
          limit,
          holders: holders.map((n) => holderOf(n)),
          waiters: waiters.map((n) => waiterOf(n)),
        }),
      ],
    });
  const through = (...looks: ReturnType<typeof look>[]) =>
    looks.reduce((steps, one, i) => lookAtAll(steps, one, nowMs + i * 1000), pinned);
  const told = (steps: Aftermath) => whole(steps).map((step) => [step.code, whoOf(step)]);
  const standingAt = (steps: Aftermath, later: number) =>
    standing(steps, { sentAtMs: nowMs, nowMs: nowMs + later });

  test('says who of them waits no longer and who came in, and is complete with the last of them', () => {
    const first = through(look([6, 7]));
    expect([told(first), standingAt(first, 1000)]).toEqual([[['limit', '5']], 'queue']);
    const second = through(look([6, 7]), look([7]));
    expect(told(second).at(-1)).toEqual(['waits-not', 'worker-6']);
    expect(standingAt(second, 2000)).toBe('queue');
    const last = through(look([6, 7]), look([7]), look([], [1, 2, 3, 7]));
    expect(told(last).at(-1)).toEqual(['taken', 'worker-7']);
    expect(standingAt(last, 3000)).toBe('complete');
  });
  test('a client that came in and leaves has not given up, and later ones are not followed', () => {
    const steps = through(look([7], [1, 2, 3, 6]), look([7, 9]), look([9]), look([9, 6]));
    expect(told(steps)).toEqual([
      ['limit', '5'],
      ['taken', 'worker-6'],
      ['waits-not', 'worker-7'],
    ]);
  });
  test('no waiter is reported before the new limit is seen, and all are once it was', () => {
    expect(told(through(look([7], [1, 2, 3], 3)))).toEqual([]);
    expect(told(through(look([6, 7]), look([7], [1, 2, 3], 3)))).toEqual([
      ['limit', '5'],
      ['waits-not', 'worker-6'],
    ]);
  });
  test('a client that left before the new limit left for another reason, and is not reported', () => {
    expect(told(through(look([7], [1, 2, 3], 3), look([7])))).toEqual([['limit', '5']]);
  });
  test('two clients with one name are both reported', () => {
    const twins = [waiterOf(6), { ...waiterOf(7), label: waiterOf(6).label }];
    const named = snapshotOf({ semaphores: [semaphoreOf('s', { waiters: twins })] });
    const both = pin({ type: 'semaphore.resize', source: 'consul', prefix: 's', limit: 5 }, named);
    expect(codes(lookAtAll(both, look([]), nowMs))).toEqual(['limit', 'waits-not', 'waits-not']);
  });
  test('after patience the clients still listed are counted, and the report never says that none came', () => {
    const steps = through(look([6, 7]), look([7]));
    expect(standingAt(steps, queuePatienceMs - 1)).toBe('queue');
    expect(standingAt(steps, queuePatienceMs)).toBe('listed');
    expect(listedStill(steps)).toBe(1);
  });
  test('a semaphore that is gone has no waiters', () => {
    const steps = through(look([6, 7]), snapshotOf());
    expect(codes(steps)).toEqual(['limit', 'entry-gone']);
    expect(standingAt(steps, 1000)).toBe('complete');
  });
});

test('a name that comes onto the list after a prune has taken no slot', () => {
  const cut = semaphoreOf('s', {
    limit: 4,
    holders: [holderOf(8, 'ghost')],
    beyond: { ghost: 3, unknown: 1 },
  });
  const pinned = pin(
    { type: 'semaphore.prune', source: 'consul', prefixes: ['s'] },
    snapshotOf({ semaphores: [cut] }),
  );
  const after = semaphoreOf('s', { limit: 4, modifyIndex: '99', holders: [holderOf(9, 'ghost')] });
  const { places } = lookAtAll(pinned, snapshotOf({ semaphores: [after] }), nowMs);
  expect(places[0]?.shows?.code).toBe('record-written');
  expect(places.flatMap(takersOf)).toEqual([]);
  const newcomer = holderOf(4);
  const taken = semaphoreOf('s', { limit: 4, holders: [holderOf(9, 'ghost'), newcomer] });
  const came = lookAtAll(pinned, snapshotOf({ semaphores: [taken] }), nowMs).places.flatMap(takersOf);
  expect(came.map(({ code, whom }) => [code, whom?.session])).toEqual([['taken', newcomer.sessionId]]);
});

test('a destroyed session is followed through everything that it held', () => {
  const holds = [
    { source: 'consul', kind: 'lock', key: 'k' },
    { source: 'consul', kind: 'semaphore', prefix: 's' },
  ] as const;
  const before = snapshotOf({
    sessions: [sessionOf(1, { holds })],
    locks: [lockOf('k')],
    semaphores: [semaphoreOf('s')],
  });
  const pinned = pin({ type: 'session.destroy', source: 'consul', sessionId: one.sessionId }, before);
  const after = snapshotOf({
    locks: [lockOf('k', { state: 'free', holder: null })],
    semaphores: [semaphoreOf('s', { holders: [holderOf(2), holderOf(3)] })],
  });
  expect(codes(lookAtAll(pinned, after, nowMs))).toEqual([
    'session-gone',
    'gone',
    'lock-free',
    'gone',
    'slot-free',
  ]);
});
