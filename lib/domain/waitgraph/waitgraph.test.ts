import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { full, holder, lock, waiter, world as worldOf } from '@/lib/domain/fixture/world';
import type { Holder, Semaphore, StoredValue, Verdict, Waiter, World } from '@/lib/domain/model';
import { mayKnot, waitGraphOf } from './waitgraph';

const idOf = (n: number) => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`;
const holderOf = (n: number, verdict: Verdict = 'alive', over: Partial<Holder> = {}) =>
  holder(idOf(n), verdict, { label: `worker-${n}`, ...over });
const waiterOf = (n: number, over: Partial<Waiter> = {}) =>
  waiter(idOf(n), { label: `worker-${n}`, ...over });
const world = (semaphores: readonly Semaphore[], locks: World['locks'] = []) =>
  worldOf({ semaphores, locks });
const owned = (owner: string, more: object = {}): { value: StoredValue; label: string } => {
  const content = JSON.stringify({ owner, ...more });
  return { label: owner, value: { encoding: 'text', content, bytes: content.length, truncated: false } };
};
const named = (ids: readonly string[]) => ids.map((id) => Number(id.slice(0, 8)));
const knots = (of: World) => waitGraphOf(of).knots.map((knot) => ({ ...knot, clients: named(knot.clients) }));

describe('a knot', () => {
  test('two sessions that hold what the other wants are one', () => {
    const stuck = world([
      full('a', [holderOf(1)], [waiterOf(2)]),
      full('b', [holderOf(2)], [waiterOf(1), waiterOf(3)]),
    ]);
    expect(knots(stuck)).toEqual([{ id: 'a', clients: [1, 2], prefixes: ['a', 'b'], behind: 1 }]);
    expect(mayKnot(stuck)).toBe(true);
  });
  test('a circle is none while one more holder of a semaphore may go on', () => {
    const circle = world([
      full('a', [holderOf(1), holderOf(9)], [waiterOf(2)]),
      full('b', [holderOf(2)], [waiterOf(1)]),
    ]);
    expect(knots(circle)).toEqual([]);
    // The quick check is not misled by it either.
    expect(mayKnot(circle)).toBe(false);
  });
  test('a chain is one where its end waits for its beginning, and none where it does not', () => {
    const links = Array.from({ length: 50 }, (_, n) =>
      full(`s${n}`, [holderOf(n)], [waiterOf(n + 1 < 50 ? n + 1 : 0), waiterOf(99)]),
    );
    expect(mayKnot(world(links))).toBe(true);
    expect(mayKnot(world(links.slice(1)))).toBe(false);
    expect(mayKnot(world(links.slice(0, -1)))).toBe(false);
  });
  test('it takes in every holder of a semaphore when none of them can go on', () => {
    const stuck = world([
      full('a', [holderOf(1), holderOf(2)], [waiterOf(3)]),
      full('b', [holderOf(3)], [waiterOf(1), waiterOf(2)]),
    ]);
    expect(knots(stuck)).toEqual([{ id: 'a', clients: [1, 2, 3], prefixes: ['a', 'b'], behind: 0 }]);
  });
  test.each<[string, Partial<Semaphore>]>([
    ['a free slot', { limit: 2 }],
    ["a ghost's slot", { holders: [holderOf(1), holderOf(8, 'ghost')], limit: 2, recorded: 2 }],
    ['an entry that cannot be understood', { limit: null }],
    ['a limit below one', { limit: 0 }],
    ...(['overdue', 'suspect', 'unknown'] as Verdict[]).map((verdict): [string, Partial<Semaphore>] => [
      `a holder that is ${verdict}`,
      { holders: [holderOf(1, verdict)] },
    ]),
  ])('%s speaks against it', (_what, change) => {
    const loose = world([
      { ...full('a', [holderOf(1)], [waiterOf(2)]), ...change },
      full('b', [holderOf(2)], [waiterOf(1)]),
    ]);
    expect(knots(loose)).toEqual([]);
  });
  test('a wait that is known to have failed speaks against it', () => {
    const failed = {
      ...waiterOf(1),
      evidence: [
        {
          code: 'limit-changed-while-waiting' as const,
          source: 'signalbox' as const,
          detail: '2 -> 1',
          atMs: null,
        },
      ],
    };
    expect(
      knots(world([full('a', [holderOf(1)], [waiterOf(2)]), full('b', [holderOf(2)], [failed])])),
    ).toEqual([]);
  });
  test('a circle that could go on once a knot is undone stands behind it', () => {
    expect(
      knots(
        world([
          full('a', [holderOf(1)], [waiterOf(2)]),
          full('b', [holderOf(2), holderOf(3)], [waiterOf(1)]),
          full('c', [holderOf(3)], [waiterOf(4)]),
          full('d', [holderOf(4)], [waiterOf(3)]),
        ]),
      ),
    ).toEqual([{ id: 'c', clients: [3, 4], prefixes: ['c', 'd'], behind: 2 }]);
  });
  test('a session that waits for two things at once proceeds with either', () => {
    expect(
      knots(
        world([
          full('a', [holderOf(1)], [waiterOf(2)]),
          full('b', [holderOf(2)], [waiterOf(1)]),
          full('c', [holderOf(9)], [waiterOf(1)]),
        ]),
      ),
    ).toEqual([]);
  });
});

describe('sessions of one process', () => {
  const crossed = (owners: readonly [object, object, object, object]) =>
    world([
      full('a', [holderOf(1, 'alive', owners[0])], [{ ...waiterOf(2), ...owners[1] }]),
      full('b', [holderOf(3, 'alive', owners[2])], [{ ...waiterOf(4), ...owners[3] }]),
    ]);
  test('are one where their entries name the same owner, and that is said', () => {
    const graph = waitGraphOf(crossed([owned('x'), owned('y'), owned('y'), owned('x')]));
    expect(graph.knots).toHaveLength(1);
    expect(graph.clients.map(({ label, join, sessions }) => [label, join, named(sessions)])).toEqual([
      ['x', { by: 'owner', owner: 'x' }, [1, 4]],
      ['y', { by: 'owner', owner: 'y' }, [2, 3]],
    ]);
  });
  test.each<[string, [object, object, object, object]]>([
    ['no owner is named', [{}, {}, {}, {}]],
    ['only the label is the same', [{ label: 'x' }, { label: 'y' }, { label: 'y' }, { label: 'x' }]],
    [
      'they are on two nodes',
      [owned('x'), owned('y'), owned('y'), { ...owned('x'), session: { name: 's', node: 'n2' } }],
    ],
    ['a node is not visible', [owned('x'), owned('y'), owned('y'), { ...owned('x'), session: null }]],
    ['a fleet shares the owner', [owned('x'), owned('x'), owned('x'), owned('x')]],
  ])('are not joined when %s', (_what, owners) => {
    const joined = waitGraphOf(crossed(owners)).clients.filter(({ join }) => join.by === 'owner');
    expect(joined.map(({ label }) => label)).not.toContain('x');
    expect(knots(crossed(owners))).toEqual([]);
  });
  test('one acquire of several slots is one wait, two acquires are two', () => {
    const wait = (n: number, group: string) => ({ ...waiterOf(n), ...owned('x', { group }) });
    const of = (groups: readonly string[]) =>
      waitGraphOf(
        world([
          full('a', [holderOf(1, 'alive', owned('x'))]),
          full(
            'b',
            [holderOf(9), holderOf(8)],
            groups.map((group, i) => wait(i + 2, group)),
          ),
        ]),
      );
    expect(of(['g', 'g']).clients.find(({ id }) => id === idOf(1))?.sessions).toHaveLength(3);
    expect(of(['g', 'h']).clients.every(({ sessions }) => sessions.length === 1)).toBe(true);
  });
});

test("things without waiters are counted and not drawn; a waiter's lock is drawn", () => {
  const graph = waitGraphOf(
    world(
      [full('a', [holderOf(1)], [waiterOf(2)]), full('quiet', [holderOf(5), holderOf(6)])],
      [lock({ key: 'held', holder: holderOf(2) }), lock({ key: 'elsewhere', holder: holderOf(7) })],
    ),
  );
  expect(named(graph.clients.map(({ id }) => id))).toEqual([1, 2]);
  expect(graph.locks).toEqual(['held']);
  expect(graph.apart).toBe(3);
});

/** Small worlds: up to five sessions over four semaphores, each holding or wanting or neither. */
const small = fc
  .array(
    fc.record({
      roles: fc.array(fc.constantFrom('none', 'holds', 'wants'), { minLength: 5, maxLength: 5 }),
      spare: fc.constantFrom(0, 0, 0, 1),
      doubtful: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((semaphores) =>
    world(
      semaphores.map(({ roles, spare, doubtful }, s) => {
        const holders = roles.flatMap((role, i) =>
          role === 'holds' ? [holderOf(i + 1, doubtful ? 'suspect' : 'alive')] : [],
        );
        const waiters = roles.flatMap((role, i) => (role === 'wants' ? [waiterOf(i + 1)] : []));
        return { ...full(`s${s}`, holders, waiters), limit: holders.length + spare };
      }),
    ),
  );

/** By definition: sets in which every member waits, and only for semaphores held entirely by members. */
function deadSets({ semaphores }: World): number[][] {
  const doubtful = new Set(
    semaphores.flatMap(({ holders }) =>
      holders.filter((h) => h.verdict === 'suspect').map((h) => h.sessionId),
    ),
  );
  const isDead = (set: readonly string[]) =>
    set.every((id) => {
      const wants = semaphores.filter(({ waiters }) => waiters.some((w) => w.sessionId === id));
      return (
        wants.length > 0 &&
        !doubtful.has(id) &&
        wants.every(
          ({ holders, limit, recorded }) =>
            holders.length > 0 && recorded === limit && holders.every((h) => set.includes(h.sessionId)),
        )
      );
    });
  const sets: number[][] = [];
  for (let mask = 1; mask < 32; mask++) {
    const members = [1, 2, 3, 4, 5].filter((n) => mask & (1 << (n - 1)));
    if (isDead(members.map((n) => idOf(n)))) sets.push(members);
  }
  return sets;
}

// Minutes on a busy machine; speed is not under test.
const patient = 120_000;

test('knots are the least sets that no client leaves, and every client in such a set is stuck', {
  timeout: patient,
}, () => {
  fc.assert(
    fc.property(small, (of) => {
      const dead = deadSets(of);
      const least = dead.filter(
        (set) => !dead.some((other) => other.length < set.length && other.every((n) => set.includes(n))),
      );
      const graph = waitGraphOf(of);
      expect(graph.knots.map(({ clients }) => named(clients).join()).sort()).toEqual(
        least.map((set) => set.join()).sort(),
      );
      expect(named(graph.clients.filter(({ stuck }) => stuck).map(({ id }) => id))).toEqual(
        [...new Set(dead.flat())].sort(),
      );
      expect(graph.knots.reduce((sum, { behind }) => sum + behind, 0)).toBe(
        new Set(dead.flat()).size - least.flat().length,
      );
      // The cheap check never misses a knot.
      if (graph.knots.length > 0) expect(mayKnot(of)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test('ten thousand sessions in one long chain are followed to its end without recursion', {
  timeout: patient,
}, () => {
  const n = 10_000;
  const chain = Array.from({ length: n }, (_, i) =>
    full(`s${String(i).padStart(5, '0')}`, [holderOf(i + 1)], [waiterOf(i === 0 ? n : i)]),
  );
  const closed = waitGraphOf(world(chain));
  expect(closed.knots.map(({ clients, prefixes }) => [clients.length, prefixes.length])).toEqual([[n, n]]);
  const open = waitGraphOf(world(chain.slice(1)));
  expect(open.knots).toEqual([]);
  expect(open.clients).toHaveLength(n);
});
