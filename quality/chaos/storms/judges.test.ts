/** The judges themselves: each sees what it is there for, and excuses nothing else. */
import { expect, test } from 'vitest';
import { type Change, freeOf } from './counter-judge';
import type { Deed, Hold } from './history';
import { type Failover, judgeRedis } from './redis-judge';
import type { Txn } from './txn-log';
import { judgeZooKeeper } from './zookeeper-judge';

const hold = (over: Partial<Hold> = {}): Hold => ({
  place: 'l',
  who: 'a:1',
  shared: false,
  askedMs: 100,
  fromMs: 110,
  letMs: 200,
  endMs: 210,
  end: 'released',
  ...over,
});
const deed = (over: Partial<Deed> = {}): Deed => ({
  kind: 'evict',
  place: 'l',
  who: ['a:1'],
  targets: ['l'],
  fromMs: 150,
  toMs: 160,
  told: 'done',
  ...over,
});
const failover = (over: Partial<Failover> = {}): Failover => ({
  fromMs: 150,
  toMs: 180,
  places: new Set(['l']),
  had: new Set(),
  free: new Map(),
  ...over,
});

const onRedis = (holds: readonly Hold[], deeds: readonly Deed[], failovers: readonly Failover[] = []) =>
  judgeRedis({ holds, deeds, failovers, leaseMs: 1_000 });

test('a hold that was evicted is lost, once for each eviction', () => {
  expect(onRedis([hold({ end: 'lost' })], [deed()])).toMatchObject({ wrong: [], matched: 1 });
  expect(onRedis([hold({ end: 'lost' })], []).wrong).toEqual(['l a:1 was lost, and nobody evicted it']);
  expect(onRedis([hold({ end: 'lost' })], [deed({ told: 'refused' })]).wrong).toHaveLength(1);
  expect(onRedis([hold({ end: 'lost' })], [deed({ who: ['b:1'] })]).wrong).toHaveLength(2);
  const again = hold({ askedMs: 300, fromMs: 310, letMs: 400, endMs: 410, end: 'lost' });
  expect(onRedis([hold({ end: 'lost' }), again], [deed()]).wrong).toHaveLength(1);
});

test('an eviction that its holder never noticed is wrong, unless it could not notice', () => {
  expect(onRedis([hold()], [deed()]).wrong).toEqual([
    'l a:1 was told to be evicted, and its client still had it',
  ]);
  expect(onRedis([hold()], [deed({ told: 'unknown' })]).wrong).toEqual([]);
  expect(onRedis([hold({ end: 'unsaid' })], [deed()]).wrong).toEqual([]);
  const killed = hold({ end: 'killed' });
  expect(onRedis([killed], [deed({ fromMs: 900, toMs: 910 })]).wrong).toEqual([]);
  expect(onRedis([killed], [deed(), deed({ fromMs: 900, toMs: 910 })]).wrong).toHaveLength(1);
});

test('what a failover loses is told apart by what its replica had, and by its place', () => {
  const lost = hold({ fromMs: 110, letMs: 200, end: 'lost' });
  expect(onRedis([lost], [], [failover()])).toMatchObject({ wrong: [], byFailover: 1 });
  expect(onRedis([lost], [], [failover({ had: new Set(['l a:1']) })]).wrong).toHaveLength(1);
  expect(onRedis([lost], [], [failover({ places: new Set(['other']) })]).wrong).toHaveLength(1);
  expect(onRedis([lost], [], [failover({ fromMs: 300, toMs: 320 })]).wrong).toHaveLength(1);
  // The eviction was told as done, and the replica never heard of it.
  const back = failover({ fromMs: 165, toMs: 190, had: new Set(['l a:1']) });
  expect(onRedis([hold()], [deed()], [back])).toMatchObject({ wrong: [], byFailover: 1 });
});

test('a hold that was evicted before its client could say so keeps nobody out', () => {
  const late = hold({ fromMs: 300, letMs: 400, endMs: 410, end: 'lost' });
  const next = hold({ who: 'b:1', askedMs: 120, fromMs: 170, letMs: 500, endMs: 510 });
  expect(onRedis([late, next], [deed()]).wrong).toEqual([]);
  expect(onRedis([{ ...late, end: 'released' }, next], []).wrong).toHaveLength(1);
});

test('what a client gave up while its master was gone may be there for a lease, to be evicted once', () => {
  const givenUp = hold({ askedMs: 100, fromMs: null, letMs: 200, endMs: 200, end: 'unsure' });
  const at = (fromMs: number) => deed({ fromMs, toMs: fromMs + 10 });
  const wrong = (holds: readonly Hold[], ...deeds: readonly Deed[]) =>
    onRedis(holds, deeds, [failover()]).wrong;
  expect(wrong([givenUp], at(5_000))).toEqual([]);
  expect(wrong([givenUp], at(5_000), at(6_000))).toHaveLength(1);
  expect(wrong([givenUp], at(40_000))).toHaveLength(1);
  const told = hold({ askedMs: 4_000, fromMs: 4_010, letMs: 5_100, endMs: 5_110 });
  expect(wrong([givenUp, told], at(5_000))).toHaveLength(1);
});

test('a call that the library has repeated may have been done twice, and no other', () => {
  const repeated = hold({ askedMs: 100, fromMs: 3_200, letMs: 3_300, endMs: 3_310 });
  expect(onRedis([repeated], [deed()])).toMatchObject({ wrong: [], byFailover: 1 });
  expect(onRedis([{ ...repeated, fromMs: 2_900 }], [deed()]).wrong).toHaveLength(1);
  expect(onRedis([repeated], [deed({ fromMs: 60_000, toMs: 60_010 })]).wrong).toHaveLength(1);
});

test('what was evicted before its client was told of it may have been taken again by a call that was repeated', () => {
  const late = hold({ askedMs: 1_000, fromMs: 2_600, letMs: 2_650, endMs: 2_660 });
  const before = deed({ fromMs: 1_200, toMs: 1_210 });
  const after = [failover({ fromMs: 100, toMs: 800 })];
  expect(onRedis([late], [before], after)).toMatchObject({ wrong: [], byFailover: 1 });
  // The second one took what the repeated call had.
  const lost = { ...late, letMs: 2_900, endMs: 2_910, end: 'lost' } as const;
  expect(onRedis([lost], [before, deed({ fromMs: 2_700, toMs: 2_710 })], after)).toMatchObject({
    wrong: [],
    matched: 1,
    byFailover: 1,
  });
  expect(onRedis([lost], [before], after).wrong).toEqual([]);
  expect(onRedis([late], [before]).wrong).toHaveLength(1);
  expect(onRedis([{ ...late, askedMs: 1_150 }], [before], after).wrong).toHaveLength(1);
  expect(onRedis([late], [deed({ fromMs: 2_590, toMs: 2_610 })], after).wrong).toHaveLength(1);
  expect(
    onRedis([late], [before], [failover({ fromMs: 100, toMs: 800, places: new Set(['x']) })]).wrong,
  ).toHaveLength(1);
});

test('a permit is swept only after its end, and one that no client learned of is evicted only so often', () => {
  const sweep = (toMs: number) => deed({ kind: 'sweep', fromMs: toMs - 5, toMs });
  expect(onRedis([hold({ end: 'killed' })], [sweep(2_000)]).wrong).toEqual([]);
  expect(onRedis([hold({ end: 'killed' })], [sweep(500)]).wrong).toEqual(['l a:1 was swept before its end']);
  const unlearned = hold({ who: '', fromMs: null, end: 'killed' });
  expect(onRedis([unlearned], [deed({ who: ['x'] })]).wrong).toEqual([]);
  expect(onRedis([unlearned], [deed({ who: ['x'] }), deed({ who: ['y'] })]).wrong).toHaveLength(1);
});

test('two at a time are seen, unless the first was evicted before', () => {
  const next = hold({ who: 'b:1', askedMs: 150, fromMs: 170, letMs: 300, endMs: 310 });
  expect(onRedis([hold(), next], []).wrong).toEqual(['l: a:1 holds, and b:1 was let in']);
  expect(onRedis([hold({ end: 'lost' }), next], [deed()]).wrong).toEqual([]);
  expect(onRedis([hold({ shared: true }), { ...next, shared: true }], []).wrong).toEqual([]);
});

test('what is free adds up from what everybody was told, and from a replica where one took over', () => {
  const change = (permits: number, over: Partial<Change> = {}): Change => ({
    ...{ place: 'l', permits, fromMs: 100, toMs: 110, told: 'done' },
    ...over,
  });
  const free = (changes: readonly Change[], failovers: readonly Failover[] = []) =>
    freeOf('l', { first: 5, changes, failovers });
  expect(free([])).toEqual([5, 5]);
  expect(free([change(-1), change(-1), change(1), change(2, { place: 'other' })])).toEqual([4, 4]);
  expect(free([change(-1, { told: 'unsure' }), change(1, { told: 'unsure' })])).toEqual([3, 7]);
  expect(free([change(-1, { toMs: 3_100 })])).toEqual([3, 5]);
  const fell = failover({ free: new Map([['l', 3]]) });
  const [before, after] = [change(-1), change(-1, { fromMs: 181, toMs: 190 })];
  expect(free([before, after, change(1, { fromMs: 140, toMs: 200 })], [fell])).toEqual([2, 4]);
  expect(free([before], [failover({ places: new Set(['other']) })])).toEqual([4, 4]);
});

const node = '/s/l/_c_1-lock-0000000001';
const txn = (what: Txn['what'], atMs: number, session: string, path = node): Txn => ({
  zxid: BigInt(atMs),
  atMs,
  session,
  what,
  path: what === 'close' ? '' : path,
  isEphemeral: what === 'create',
});
const onZooKeeper = (
  txns: readonly Txn[],
  over: { holds?: readonly Hold[]; deeds?: readonly Deed[]; sabotaged?: readonly string[] } = {},
) =>
  judgeZooKeeper({
    txns,
    holds: over.holds ?? [],
    deeds: over.deeds ?? [],
    clients: new Map([
      ['0x1', 'one'],
      ['0x2', 'two'],
    ]),
    sabotaged: new Set(over.sabotaged ?? []),
    limits: new Map([['/s/pool', 1]]),
  }).wrong;
const made = txn('create', 105, '0x1');
const taken = deed({ place: '/s/l', targets: [node] });

test('a node goes by its own client, by the end of its session, or by the action that named it', () => {
  expect(onZooKeeper([made, txn('delete', 205, '0x1')])).toEqual([]);
  expect(onZooKeeper([made, txn('close', 205, '0x1')])).toEqual([]);
  expect(onZooKeeper([made, txn('delete', 155, '0x9')], { deeds: [taken] })).toEqual([]);
  expect(onZooKeeper([made, txn('delete', 155, '0x9')], { sabotaged: [node] })).toEqual([]);
  expect(onZooKeeper([made])).toEqual([`${node} is left`]);
  expect(onZooKeeper([made, txn('delete', 155, '0x2')])).toEqual([`${node} was removed by another client`]);
  const unasked = [`${node} was removed, and no action was to remove it then`];
  expect(onZooKeeper([made, txn('delete', 155, '0x9')])).toEqual(unasked);
  expect(onZooKeeper([made, txn('delete', 300, '0x9')], { deeds: [{ ...taken, told: 'unknown' }] })).toEqual(
    unasked,
  );
  expect(onZooKeeper([made, txn('delete', 155, '0x9')], { deeds: [{ ...taken, told: 'refused' }] })).toEqual(
    unasked,
  );
  expect(onZooKeeper([made, txn('delete', 155, '0x1')], { deeds: [taken] })).toHaveLength(1);
});

test('who holds by no node, who was removed as a waiter, and one too many are seen', () => {
  const by = (over: Partial<Hold> = {}) => hold({ place: '/s/l', who: node, ...over });
  const end = txn('delete', 205, '0x1');
  expect(onZooKeeper([made, end], { holds: [by()] })).toEqual([]);
  expect(onZooKeeper([], { holds: [by()] })).toEqual([`${node} is held, and was never made`]);
  const waits: Deed = { ...taken, kind: 'waiter', fromMs: 106, toMs: 108 };
  expect(
    onZooKeeper([made, txn('delete', 107, '0x9')], { deeds: [waits], holds: [by({ fromMs: 120 })] }),
  ).toEqual([`${node} was removed as a waiter, and holds`]);
  const other = '/s/l/_c_2-lock-0000000002';
  const both = [made, txn('create', 106, '0x2', other), end, txn('delete', 206, '0x2', other)];
  const second = by({ who: other, fromMs: 150, letMs: 190 });
  expect(onZooKeeper(both, { holds: [by(), second] })).toHaveLength(1);
  expect(onZooKeeper(both, { holds: [by({ letMs: 140 }), second] })).toEqual([]);
  const evicted = [
    made,
    txn('create', 106, '0x2', other),
    txn('delete', 145, '0x9'),
    txn('delete', 206, '0x2', other),
  ];
  const early: Deed = { ...taken, fromMs: 140, toMs: 146 };
  expect(onZooKeeper(evicted, { holds: [by(), second], deeds: [early] })).toEqual([]);
});
