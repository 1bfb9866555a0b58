/** Readings as Redisson 4.7 leaves them, and what is made of anything else. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Lock, Semaphore } from '@/lib/domain/model';
import type { NameRead, ReadHold } from '@/lib/providers/redis/client/reading';
import { formOf, mayBeOurs, type Told, toldNothing } from './form';
import { type Audience, afterTaken, type Memory, remember } from './memory';
import { rowOf } from './rows';

const a = '3f0c1a52-7a0e-4a51-9d3e-0c5a2b1d4e6f:41';
const b = '77777777-7a0e-4a51-9d3e-0c5a2b1d4e6f:7';
const startMs = 1_764_000_000_000;

const reading = (of: Partial<NameRead>): NameRead => ({
  name: 'jobs',
  type: 'hash',
  ttlMs: 30_000,
  fields: [],
  cut: false,
  text: null,
  textBytes: 0,
  token: null,
  queue: [],
  queueEnds: new Map(),
  permits: [],
  permitsCount: 0,
  readHolds: new Map(),
  atMs: startMs,
  slackMs: 1,
  serverMs: startMs,
  ...of,
});
const string = (text: string, of: Partial<NameRead> = {}) =>
  reading({
    type: 'string',
    text: Buffer.from(text),
    textBytes: Buffer.byteLength(text),
    ttlMs: null,
    ...of,
  });
const permit = (byte: number, score: number) => ({ id: Buffer.alloc(16, byte), score: String(score) });

interface Given {
  readonly told?: Partial<Told>;
  readonly before?: Memory | null;
  readonly audience?: Audience | null;
  readonly limit?: number | null;
}
const remembered = (read: NameRead, { told = {}, before = null }: Given = {}) =>
  remember(before, read, { told: { ...toldNothing, ...told }, fresh: false });
function row(read: NameRead, given: Given = {}): Lock | Semaphore | null {
  const memory = remembered(read, given);
  const { audience = null, limit = null } = given;
  return memory === null ? null : rowOf({ source: 'redis', memory, audience, limit });
}

describe('locks', () => {
  test('a plain one: who holds it, how often, and until when', () => {
    expect(row(reading({ fields: [[a, '2']] }))).toMatchObject({
      kind: 'lock',
      key: 'jobs',
      layout: 'redisson-lock',
      state: 'held',
      holder: {
        sessionId: a,
        session: null,
        count: 2,
        verdict: 'alive',
        label: '3f0c…4e6f:41',
        since: { atMs: startMs, basis: 'at-least' },
        expiry: { kind: 'lease', latestMs: startMs + 30_000 },
      },
      waiters: null,
      value: { content: expect.stringContaining(a) },
    });
  });

  test('one without a lease never ends', () => {
    expect(row(reading({ fields: [[a, '1']], ttlMs: null }))).toMatchObject({
      holder: {
        verdict: 'immortal',
        expiry: { kind: 'never' },
        evidence: [{ code: 'redis-no-lease' }, {}, {}],
      },
    });
  });

  test('a fenced one has its token as text, however large', () => {
    const found = row(reading({ fields: [[a, '1']], token: '9223372036854775807' }));
    expect(found).toMatchObject({ layout: 'redisson-fenced', lockIndex: '9223372036854775807' });
  });

  test('one whose thread Signalbox took another lock from says so, as long as it is the same hold', () => {
    const before = remembered(reading({ fields: [[a, '1']] }));
    if (before === null) throw new Error('not a lock');
    const codes = (memory: Memory | null) =>
      memory === null
        ? null
        : (rowOf({ source: 'redis', memory, audience: null, limit: null }) as Lock).holder?.evidence.map(
            ({ code, detail }) => [code, detail],
          );
    const taken = { name: 'part', holder: a, atMs: startMs + 5_000 };
    const marked = afterTaken(before, taken);
    expect(codes(marked)).toContainEqual(['redis-thread-lost', 'part']);
    const renewed = reading({ fields: [[a, '1']], atMs: startMs + 10_000 });
    expect(codes(remembered(renewed, { before: marked }))).toContainEqual(['redis-thread-lost', 'part']);
    // Of the removed lock itself, of another thread, and of a hold that came later, it says nothing.
    expect(afterTaken(before, { ...taken, name: 'jobs' })).toBe(before);
    expect(afterTaken(before, { ...taken, holder: b })).toBe(before);
    expect(afterTaken(before, { ...taken, atMs: startMs - 1 })).toBe(before);
    const free = remembered(reading({ type: 'none', atMs: startMs + 20_000 }), { before: marked });
    const again = remembered(reading({ fields: [[a, '1']], atMs: startMs + 21_000 }), { before: free });
    expect(codes(again)).not.toContainEqual(['redis-thread-lost', 'part']);
  });

  test('a fair one has its queue, without those whose time is over', () => {
    const read = reading({
      fields: [[a, '1']],
      queue: [b, a, 'c'],
      queueEnds: new Map([
        [b, startMs + 1],
        [a, startMs - 1],
      ]),
    });
    const found = row(read);
    expect(found).toMatchObject({ layout: 'redisson-fair', state: 'held' });
    expect((found as Lock).waiters?.map(({ sessionId, verdict }) => [sessionId, verdict])).toEqual([
      [b, 'unknown'],
      ['c', 'unknown'],
    ]);
    const idle = row(reading({ type: 'none', queue: [b] }));
    expect(idle).toMatchObject({ layout: 'redisson-fair', state: 'free', waiters: [{ sessionId: b }] });
  });

  test('one in the queue is a ghost after two seconds without a listener, and not before', () => {
    const read = reading({ type: 'none', queue: [b], queueEnds: new Map([[b, startMs + 1e6]]) });
    const verdict = (silentMs: number | null, atMs: number) =>
      (row(read, { audience: { clients: 0, silentSinceMs: new Map([[b, silentMs]]), atMs } }) as Lock)
        .waiters?.[0]?.verdict;
    expect(verdict(null, startMs)).toBe('alive');
    expect(verdict(startMs, startMs + 1_999)).toBe('unknown');
    expect(verdict(startMs, startMs + 2_000)).toBe('ghost');
  });

  test('a read-write one: the writer first, readers by the order in which they were seen', () => {
    const runs: ReadHold = { state: 'runs', ttlMs: 9_000 };
    const write = row(
      reading({
        fields: [
          ['mode', 'write'],
          [`${a}:write`, '1'],
          [a, '1'],
        ],
        readHolds: new Map([[a, runs]]),
      }),
    );
    expect(write).toMatchObject({
      layout: 'redisson-read-write',
      holder: { sessionId: `${a}:write`, mode: 'write' },
      readers: [{ sessionId: a, mode: 'read', expiry: { latestMs: startMs + 9_000 } }],
    });
    const first = reading({
      fields: [
        ['mode', 'read'],
        [b, '1'],
      ],
      readHolds: new Map([[b, runs]]),
    });
    const both = reading({
      fields: [
        ['mode', 'read'],
        [a, '3'],
        [b, '1'],
      ],
      readHolds: new Map([
        [a, runs],
        [b, runs],
      ]),
      atMs: startMs + 1_000,
    });
    const found = row(both, { before: remembered(first) });
    expect(found).toMatchObject({ holder: { sessionId: b }, readers: [{ sessionId: a, count: 3 }] });
  });

  test('a reader whose holds are over does not hold; with none left it is unclear who does', () => {
    const over: ReadHold = { state: 'over', ttlMs: null };
    const read = (holds: ReadonlyMap<string, ReadHold>) =>
      row(
        reading({
          fields: [
            ['mode', 'read'],
            [a, '1'],
            [b, '1'],
          ],
          readHolds: holds,
        }),
      );
    const one = read(
      new Map([
        [a, over],
        [b, { state: 'endless', ttlMs: null }],
      ]),
    );
    expect(one).toMatchObject({ holder: { sessionId: b, verdict: 'immortal' } });
    expect(one).not.toHaveProperty('readers');
    expect(
      read(
        new Map([
          [a, over],
          [b, over],
        ]),
      ),
    ).toMatchObject({ state: 'unknown', holder: null });
  });

  test('a FasterMultiLock is shown with the owner of each of its values', () => {
    const [x, y] = ['AAAAAAAAAAAAAAAAAAAAAA', 'BBBBBBBBBBBBBBBBBBBBBB'];
    const read = reading({
      fields: [x, y].flatMap((field): [string, string][] => [
        [field, a],
        [`${field}:${a}:expire_time`, String(startMs + 5_000)],
        [`${field}:${a}:lock_count`, '1'],
      ]),
    });
    expect(row(read)).toMatchObject({
      layout: 'redisson-faster-multi',
      holder: { sessionId: a, expiry: { latestMs: startMs + 5_000 } },
      details: [
        { name: x, value: a },
        { name: y, value: a },
      ],
    });
  });

  test('a FasterMultiLock is held until the last value of its owner is over, and then free', () => {
    const [x, y] = ['AAAAAAAAAAAAAAAAAAAAAA', 'BBBBBBBBBBBBBBBBBBBBBB'];
    const values = [
      [x, startMs + 9_000],
      [y, startMs + 5_000],
    ] as const;
    const at = (ms: number, before: Memory | null = null) =>
      remembered(
        reading({
          fields: values.flatMap(([field, endMs]): [string, string][] => [
            [field, a],
            [`${field}:${a}:expire_time`, String(endMs)],
          ]),
          atMs: startMs + ms,
          serverMs: startMs + ms,
        }),
        { before },
      );
    const shown = (memory: Memory | null) =>
      memory && rowOf({ source: 'redis', memory, audience: null, limit: null });
    const first = at(0);
    const end = { latestMs: startMs + 9_000 };
    expect(shown(first)).toMatchObject({ state: 'held', holder: { sessionId: a, expiry: end } });
    const later = at(6_000, first);
    expect(shown(later)).toMatchObject({ holder: { expiry: end }, details: [{ name: x }] });
    expect((shown(later) as Lock).details).toHaveLength(1);
    expect(shown(at(10_000, later))).toMatchObject({ state: 'free', holder: null, details: [] });
  });

  test('a string is a redlock only where that is configured: it may be anybody’s secret', () => {
    const read = string('0123456789abcdef0123456789abcdef', { ttlMs: 5_000 });
    expect(row(read)).toBeNull();
    expect(row(read, { told: { redlock: true } })).toMatchObject({
      layout: 'redlock',
      state: 'held',
      holder: { sessionId: '0123456789abcdef0123456789abcdef', label: '0123…cdef' },
    });
    expect(row(string('hello world'), { told: { redlock: true } })).toBeNull();
  });

  test('a name that was a lock is free once its key is gone, and one that clients wait for is a lock', () => {
    const held = remembered(reading({ fields: [[a, '1']] }));
    const gone = reading({ type: 'none', ttlMs: null });
    expect(row(gone, { before: held })).toMatchObject({ state: 'free', holder: null, value: null });
    expect(row(gone)).toBeNull();
    const audience = { clients: 2, silentSinceMs: new Map(), atMs: startMs };
    expect(row(gone, { told: { heard: 'lock' }, audience })).toMatchObject({
      state: 'free',
      waitingClients: 2,
    });
    expect(row(gone, { told: { heard: 'read-write' } })).toMatchObject({ layout: 'redisson-read-write' });
  });
});

describe('semaphores', () => {
  test('expirable permits: the limit is what is free and what is taken, also of those that are over', () => {
    const read = string('-1', {
      permits: [permit(1, startMs + 5_000), permit(2, startMs - 5_000), permit(3, 922_337_203_685_477)],
      permitsCount: 3,
    });
    expect(row(read)).toMatchObject({
      kind: 'semaphore',
      layout: 'redisson-permits',
      limit: 2,
      available: -1,
      recorded: 3,
      effective: 2,
    });
    const holders = (row(read) as Semaphore).holders;
    expect(new Map(holders.map(({ sessionId, verdict }) => [sessionId.slice(0, 2), verdict]))).toEqual(
      new Map([
        ['01', 'alive'],
        ['02', 'ghost'],
        ['03', 'immortal'],
      ]),
    );
  });

  test('permits of Redisson before 3.17 are text, and more than are read are counted', () => {
    const old = { id: Buffer.from('00112233445566778899aabbccddeeff'), score: String(startMs + 1_000) };
    const found = row(string('0', { permits: [old], permitsCount: 5_000, cut: true }));
    expect(found).toMatchObject({
      limit: 5_000,
      recorded: 5_000,
      effective: null,
      beyond: { ghost: 0, unknown: 4_999 },
      holders: [{ sessionId: '00112233445566778899aabbccddeeff' }],
    });
  });

  test('idle permits stay what they were seen to be', () => {
    const before = remembered(string('0', { permits: [permit(1, startMs + 9)], permitsCount: 1 }));
    expect(row(string('1'), { before })).toMatchObject({ layout: 'redisson-permits', limit: 1, holders: [] });
  });

  test('a number is a semaphore where it is configured or waited for, and has no limit but a configured one', () => {
    expect(row(string('3'))).toBeNull();
    const configured = row(string('3'), { told: { semaphore: true }, limit: 5 });
    expect(configured).toMatchObject({
      limit: 5,
      limitBasis: 'configured',
      available: 3,
      recorded: 2,
      effective: null,
    });
    expect(row(string('3'), { told: { semaphore: true } })).toMatchObject({
      limit: null,
      recorded: null,
      available: 3,
    });
    expect(row(string('0'), { told: { heard: 'semaphore' } })).toMatchObject({ limit: null, available: 0 });
    expect(row(reading({ type: 'none' }), { told: { semaphore: true }, limit: 5 })).toMatchObject({
      limit: 5,
      available: null,
      recorded: null,
    });
    expect(row(string('nine'), { told: { semaphore: true } })).toMatchObject({ available: null });
  });

  test('a number beyond what JavaScript counts is not claimed to be known', () => {
    const found = row(string('9223372036854775807'), { told: { semaphore: true }, limit: 5 });
    expect(found).toMatchObject({
      available: null,
      recorded: null,
      value: { content: '9223372036854775807' },
    });
  });

  test('a latch is shown only, while somebody waits for it', () => {
    expect(row(string('2'), { told: { heard: 'latch' }, limit: 9 })).toMatchObject({
      layout: 'redisson-latch',
      available: 2,
      limit: null,
    });
  });
});

describe('everything else', () => {
  test.each<[string, NameRead]>([
    ['an application’s hash', reading({ fields: [['name', 'x']] })],
    [
      'a hash with one field more',
      reading({
        fields: [
          [a, '1'],
          ['note', 'x'],
        ],
      }),
    ],
    ['a count that is none', reading({ fields: [[a, 'x']] })],
    ['a mode without holders', reading({ fields: [['mode', 'read']] })],
    [
      'another mode',
      reading({
        fields: [
          ['mode', 'x'],
          [a, '1'],
        ],
      }),
    ],
    ['an empty hash', reading({})],
    ['a counter', string('7')],
    ['a list', reading({ type: 'list' })],
    [
      'another program’s set',
      string('7', { permits: [{ id: Buffer.from('x'), score: '1' }], permitsCount: 1 }),
    ],
    ['a queue of something else', reading({ type: 'none', queue: ['job 1'] })],
  ])('%s is left out', (_name, read) => {
    expect(row(read)).toBeNull();
  });

  test('nothing that Redis may hold makes it throw, and every row is of the name that was read', () => {
    const field = fc.oneof(fc.constantFrom(a, b, `${a}:write`, 'mode'), fc.string());
    const value = fc.oneof(fc.constantFrom('1', 'read', 'write', '0', '-1'), fc.string());
    const hold = fc.record({
      state: fc.constantFrom('runs', 'over', 'endless', 'unknown'),
      ttlMs: fc.option(fc.integer({ min: 0 })),
    }) as fc.Arbitrary<ReadHold>;
    const any = fc.record({
      type: fc.constantFrom('hash', 'string', 'none', 'zset', 'ReJSON-RL'),
      ttlMs: fc.option(fc.nat()),
      fields: fc.array(fc.tuple(field, value)),
      text: fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
      token: fc.option(fc.nat().map(String)),
      queue: fc.array(field),
      queueEnds: fc.array(fc.tuple(field, fc.double())).map((pairs) => new Map(pairs)),
      permits: fc.array(
        fc.record({
          id: fc.uint8Array({ maxLength: 33 }).map((bytes) => Buffer.from(bytes)),
          score: fc.oneof(fc.double().map(String), fc.constantFrom('inf', 'nan', '')),
        }),
      ),
      permitsCount: fc.nat(),
      readHolds: fc.array(fc.tuple(field, hold)).map((pairs) => new Map(pairs)),
    });
    const told = fc.record({
      redlock: fc.boolean(),
      semaphore: fc.boolean(),
      heard: fc.constantFrom(null, 'lock', 'read-write', 'semaphore', 'latch'),
    }) as fc.Arbitrary<Told>;
    fc.assert(
      fc.property(any, any, told, (one, other, toldOf) => {
        const before = remembered(reading(one), { told: toldOf });
        const found = row(reading(other), { told: toldOf, before, limit: 3 });
        if (found === null) return;
        expect(found.kind === 'lock' ? found.key : found.prefix).toBe('jobs');
        expect(JSON.parse(JSON.stringify(found))).toBeTruthy();
      }),
    );
    expect(formOf(reading({}), { told: toldNothing, before: null })).toBeNull();
  });
});

describe('a part of a hash, in any order', () => {
  const field = 'UAtNwcfhLzLiIyViPu3ySw';
  const ends: readonly (readonly [string, string])[] = [
    [`${field}:${a}:expire_time`, '1764000030000'],
    [`${field}:${a}:lock_count`, '1'],
  ];

  test.each([
    ['ends and counts of a FasterMultiLock without their owners', ends],
    ['one with its owner', [[field, a], ...ends]],
    ['the mode of a read-write lock without its holders', [['mode', 'read']]],
    ['a holder', [[a, '2']]],
    ['nothing', []],
  ] as const)('is read on where it may be Redisson’s: %s', (_, fields) => {
    expect(mayBeOurs(fields as never)).toBe(true);
  });

  test.each([
    ['a field of another program', [...ends, ['note', 'x']]],
    ['a value of another program', [[field, 'x']]],
    ['a holder without a count', [[a, 'x']]],
  ] as const)('is left where it is not: %s', (_, fields) => {
    expect(mayBeOurs(fields as never)).toBe(false);
  });
});
