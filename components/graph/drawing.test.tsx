import * as dagre from '@dagrejs/dagre';
import { expect, test } from 'vitest';
import { holderOf, idOf, lockOf, semaphoreOf, waiterOf } from '@/components/fixture/world';
import type { Semaphore } from '@/lib/domain/model';
import { waitGraphOf } from '@/lib/domain/waitgraph/waitgraph';
import { lampOf, shortList } from './box-view';
import { drawingOf, partsOf, structureOf } from './drawing';
import { boxSize, noPlaces, placesOf, stack } from './places';

const draw = (semaphores: readonly Semaphore[], locks = [lockOf('idle', { holder: holderOf(900) })]) =>
  drawingOf(waitGraphOf({ locks, semaphores, sessions: [], scope: 'whole' }));
const full = (prefix: string, holders: readonly number[], waiters: readonly number[]) =>
  semaphoreOf(prefix, {
    limit: holders.length,
    holders: holders.map((n) => holderOf(n)),
    waiters: waiters.map((n) => waiterOf(n)),
  });
const range = (from: number, n: number) => Array.from({ length: n }, (_, i) => from + i);

test('two hundred waiters are one box, and a slot that passes on moves nothing', () => {
  const before = draw([full('a', [1], range(2, 200))]);
  expect(before.boxes.map(({ kind, clients }) => [kind, clients.length])).toEqual([
    ['holding', 1],
    ['semaphore', 0],
    ['waiting', 200],
  ]);
  const after = draw([full('a', [2], [1, ...range(3, 199)])]);
  expect(structureOf(after)).toBe(structureOf(before));
});

test('a client that holds and waits has a box of its own, with the lock that it holds', () => {
  const drawing = draw(
    [full('a', [1], [2]), full('b', [2], [1])],
    [lockOf('leader', { holder: holderOf(1) })],
  );
  expect(drawing.boxes.map(({ kind, name, inKnot }) => [kind, name, inKnot])).toEqual([
    ['between', '', true],
    ['between', '', true],
    ['lock', 'leader', false],
    ['semaphore', 'a', true],
    ['semaphore', 'b', true],
  ]);
  expect(drawing.arrows).toContainEqual({ from: 's:a', to: `c:${idOf(1)}`, kind: 'held-by', inKnot: true });
  expect(drawing.arrows).toContainEqual({ from: `c:${idOf(1)}`, to: 's:b', kind: 'waits', inKnot: true });
});

test('ghosts stand where holders do, so that the slots they take do not look free', () => {
  const leaky = semaphoreOf('a', {
    limit: 3,
    holders: [holderOf(1), holderOf(8, 'ghost'), holderOf(9, 'ghost')],
    waiters: [waiterOf(2)],
  });
  const drawing = draw([leaky, full('b', [3], [4])]);
  const ghosts = drawing.boxes.filter(({ kind }) => kind === 'ghosts');
  expect(ghosts).toMatchObject([{ name: 'a', contested: { ghosts: 2 } }]);
  expect(drawing.arrows).toContainEqual({ from: 's:a', to: 'ghosts:a', kind: 'held-by', inKnot: false });
  expect(partsOf(drawing)).toHaveLength(2);
});

test.each([
  [['pay-1', 'pay-2'], 30, 'pay-1, pay-2'],
  [['pay-4', 'pay-14', 'pay-11', 'pay-2', 'pay-5'], 30, 'pay-4, pay-14 and 3 more'],
  [['a-very-long-name-of-some-process', 'b'], 24, 'a-very…rocess and 1 more'],
])('a list of names ends with how many are left out, and cuts none: %j', (names, max, said) => {
  const text = shortList(names, max, (n) => `and ${n} more`);
  expect(text.length).toBeLessThanOrEqual(max);
  expect(text).toBe(said);
});

test.each([
  [['alive', 'alive'], 'alive'],
  [['alive', 'suspect', 'immortal'], 'suspect'],
  [['unknown', 'overdue', 'suspect'], 'overdue'],
] as const)('holders in one box have the lamp of the worst of them: %j', (verdicts, lamp) => {
  const holders = verdicts.map((verdict, n) => holderOf(n + 1, verdict));
  const drawing = draw([semaphoreOf('a', { limit: 3, holders, waiters: [waiterOf(8)] })]);
  const [box] = drawing.boxes.filter(({ kind }) => kind === 'holding');
  expect(box?.clients).toHaveLength(verdicts.length);
  expect(box && lampOf(box)).toBe(lamp);
});

test('separate parts are placed apart, and keep their places when another part changes', () => {
  const one = [full('a', [1], [2, 3]), full('m', [10], [11]), full('z', [20], [21])];
  const before = placesOf(dagre, draw(one), noPlaces);
  expect(before.parts).toHaveLength(3);
  expect(partsOf(draw(one))).toHaveLength(3);
  const [, middle, last] = before.parts;
  // `a` is free again and goes, `m` gets a second level: the parts below do not move.
  const after = placesOf(
    dagre,
    draw([full('m', [10], [11]), full('n', [11], [12]), full('z', [20], [21])]),
    before,
  );
  expect(after.parts.find(({ id }) => id === last?.id)?.top).toBe(last?.top);
  expect(middle?.boxes.size).toBe(3);
});

test('a part that has outgrown its place goes to the first that fits', () => {
  const before = [
    { id: 'a', top: 0, height: 80 },
    { id: 'b', top: 100, height: 80 },
  ];
  const tops = stack(before, [
    { id: 'a', height: 300 },
    { id: 'b', height: 80 },
    { id: 'c', height: 60 },
  ]);
  expect(tops.get('b')).toBe(100);
  expect(tops.get('c')).toBe(0);
  expect(tops.get('a')).toBeGreaterThan(180);
});

test('no box covers another, with two hundred clients in chains', { timeout: 120_000 }, () => {
  const chains = range(0, 20).flatMap((k) =>
    range(0, 10).map((i) => full(`c${k}/${i}`, [k * 20 + i + 1], [k * 20 + i + 2])),
  );
  const { parts } = placesOf(dagre, draw(chains), noPlaces);
  const boxes = parts.flatMap((part) => [...part.boxes.values()].map(({ x, y }) => ({ x, y: y + part.top })));
  expect(boxes.length).toBeGreaterThan(400);
  const covered = boxes.some((a, i) =>
    boxes
      .slice(i + 1)
      .some((b) => Math.abs(a.x - b.x) < boxSize.width && Math.abs(a.y - b.y) < boxSize.height),
  );
  expect(covered).toBe(false);
});
