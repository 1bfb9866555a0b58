import { expect, test } from 'vitest';
import type { ReadOptions, Reply } from '@/lib/providers/consul/client/client';
import type { Clock } from '@/lib/providers/consul/client/clock';
import type { Account } from '@/lib/providers/consul/client/duty-cycle';
import { ConsulError } from '@/lib/providers/consul/client/errors';
import { follow } from './blocking-query';
import { createDoubts } from './index-reset';

interface Step {
  /** Consul's answer; an error is thrown. */
  readonly reply: Partial<Reply<string[]>> | ConsulError;
  /** Time that the answer takes. */
  readonly tookMs?: number;
}

/**
 * Plays the steps against a scripted clock and ends after the last one. `sharedRestMs`: the rest for the others on a
 * shared account; without it, the query has its own.
 */
async function play(steps: readonly Step[], sharedRestMs?: number) {
  let nowMs = 0;
  const end = new AbortController();
  const asked: (ReadOptions['block'] | 'stale' | null)[] = [];
  const sure: boolean[] = [];
  const pauses: number[] = [];
  const said: string[] = [];
  const clock: Clock = {
    now: () => nowMs,
    random: () => 0,
    pause: async (ms, signal) => {
      signal.throwIfAborted();
      pauses.push(Math.round(ms));
      nowMs += ms;
    },
  };
  const account = (restMs: number): Account => ({
    join: () => ({
      rest: async (signal) => {
        await clock.pause(restMs, signal);
        return restMs;
      },
      leave: () => {},
    }),
  });
  let next = 0;
  const following = follow<string[]>(
    {
      read: async ({ block, consistency }) => {
        const step = steps[next];
        next += 1;
        if (step === undefined) {
          end.abort();
          throw end.signal.reason;
        }
        asked.push(consistency === 'stale' ? 'stale' : (block ?? null));
        sure.push(consistency === 'consistent');
        nowMs += step.tookMs ?? 1;
        if (step.reply instanceof ConsulError) throw step.reply;
        return {
          value: ['x'],
          index: '1',
          lastContactMs: 0,
          knownLeader: true,
          filtered: false,
          ...step.reply,
        };
      },
      empty: (value) => value.length === 0,
      onValue: (reply, { stale, restored }) =>
        said.push(
          `${stale ? 'stale ' : ''}${restored ? 'restored ' : ''}${reply.value.join()}@${reply.index}`,
        ),
      onSame: () => said.push('same'),
      onProblem: (problem) => said.push(problem.code),
      onBroken: () => said.push('broken'),
      ...(sharedRestMs === undefined ? {} : { account: account(sharedRestMs) }),
    },
    clock,
    end.signal,
  );
  await following;
  return { asked, sure, pauses, said };
}

const failure = (code: 'unavailable' | 'no-leader' | 'forbidden' | 'busy', status: number | null = null) =>
  new ConsulError({ code, detail: code }, status, '');

const kinds = (asked: readonly (ReadOptions['block'] | 'stale' | null)[]) =>
  asked.map((block) => (block === null ? 'read' : 'wait'));

test('a change that a read brought is followed by a rest and a read that does not block, one that was waited for by the next wait', async () => {
  const { asked, pauses, said } = await play([
    { reply: { index: '5' }, tookMs: 100 },
    { reply: { index: '6' }, tookMs: 100 },
    { reply: { index: '6' }, tookMs: 100 },
    { reply: { index: '7' }, tookMs: 30_000 },
    { reply: { index: '8' }, tookMs: 100 },
    { reply: { index: '8' }, tookMs: 45_000 },
  ]);
  expect(kinds(asked)).toEqual(['read', 'read', 'read', 'wait', 'wait', 'wait']);
  expect(asked.slice(3)).toEqual(['6', '7', '8'].map((index) => ({ index, waitMs: 45_000 })));
  expect(pauses).toEqual([400, 400, 400, 400]);
  expect(said).toEqual(['x@5', 'x@6', 'same', 'x@7', 'x@8', 'same']);
});

test('of changes that do not end every eighth is timed, and from then on each, until a read brings nothing', async () => {
  const { asked } = await play([
    { reply: { index: '1' } },
    { reply: { index: '1' } },
    ...Array.from({ length: 10 }, (_, n) => ({ reply: { index: String(n + 2) } })),
    { reply: { index: '11' } },
    { reply: { index: '12' } },
  ]);
  const waits = (count: number) => Array.from({ length: count }, () => 'wait');
  expect(kinds(asked)).toEqual(['read', 'read', ...waits(8), 'read', 'read', 'read', ...waits(1)]);
});

test('where rests are so long that news may have waited in one, nothing is waited for before a read has brought none', async () => {
  const { asked } = await play([
    { reply: { index: '5' }, tookMs: 400 },
    { reply: { index: '5' }, tookMs: 400 },
    { reply: { index: '6' }, tookMs: 30_000 },
    { reply: { index: '6' }, tookMs: 400 },
    { reply: { index: '7' }, tookMs: 30_000 },
  ]);
  expect(kinds(asked)).toEqual(['read', 'read', 'wait', 'read', 'wait']);
});

test('so it is where a rest is long for the others who share the account, however cheap its own reads', async () => {
  const steps = (waitMs: number) =>
    ['5', '5', '6', '6', '7'].map((index, n) => ({ reply: { index }, tookMs: n === 3 ? waitMs : 1 }));
  expect(kinds((await play(steps(1), 3_000)).asked)).toEqual(['read', 'read', 'wait', 'read', 'wait']);
  expect(kinds((await play(steps(50_000), 1_000)).asked)).toEqual(['read', 'read', 'wait', 'wait', 'wait']);
});

test('after a loaded time the first change is followed by a timed read, so that the rests of that time end with it', async () => {
  const read = (index: string, tookMs: number) => ({ reply: { index }, tookMs });
  const { asked, pauses } = await play([
    ...['1', '2'].map((index) => read(index, 10)),
    ...['3', '4', '4'].map((index) => read(index, 90)),
    read('5', 30_000),
    read('5', 10),
    read('6', 30_000),
    read('7', 30_000),
  ]);
  const reads = (count: number) => Array.from({ length: count }, () => 'read');
  expect(kinds(asked)).toEqual([...reads(5), 'wait', ...reads(1), 'wait', 'wait']);
  expect(pauses).toEqual([40, 40, 360, 400, 400, 40, 40]);
});

test('an index that falls is not waited on: the resource is read from the start', async () => {
  const { asked } = await play([
    { reply: { index: '650' } },
    { reply: { index: '650' } },
    { reply: { index: '648' }, tookMs: 20_000 },
    { reply: { index: '648' } },
    { reply: { index: '648' } },
    { reply: { index: '648' }, tookMs: 45_000 },
  ]);
  expect(asked.map((block) => (block === null || block === 'stale' ? null : block?.index))).toEqual([
    null,
    null,
    '650',
    null,
    null,
    '648',
  ]);
});

test('a query woken for nothing does not wait on, and a lower index then means a restore', async () => {
  const { asked, said } = await play([
    { reply: { index: '650' } },
    { reply: { index: '650' } },
    { reply: { index: '650' }, tookMs: 20_000 },
    { reply: { index: '600', value: ['old'] } },
    { reply: { index: '600', value: ['old'] } },
    { reply: { index: '600', value: ['old'] } },
    { reply: { index: '601', value: ['old'] }, tookMs: 20_000 },
  ]);
  expect(kinds(asked)).toEqual(['read', 'read', 'wait', 'read', 'read', 'read', 'wait']);
  expect(said).toEqual(['x@650', 'same', 'same', 'restored old@600', 'old@600', 'same', 'old@601']);
});

test.each([
  ['others doubt', 3_000, true],
  ['others doubt', 8_000, false],
  ['a missed beat makes doubtful', 8_000, true],
])(
  'an answer that %s after a wait of %i ms is read without waiting, and ending the wait at once is %s',
  async (why, atMs, ends) => {
    const doubts = createDoubts();
    const end = new AbortController();
    const asked: string[] = [];
    let nowMs = 0;
    await follow<string[]>(
      {
        doubts,
        read: async ({ block, signal }) => {
          if (asked.length === 4) end.abort();
          signal?.throwIfAborted();
          asked.push(block === undefined ? 'read' : 'wait');
          if (block !== undefined) {
            nowMs += atMs;
            if (why === 'others doubt') doubts.raise(nowMs);
            else doubts.raiseAll();
            expect(signal?.aborted).toBe(ends);
            signal?.throwIfAborted();
            nowMs += 60_000;
          }
          return { value: ['x'], index: '5', lastContactMs: 0, knownLeader: true, filtered: false };
        },
        empty: () => false,
        onValue: () => {},
        onSame: () => {},
        onBroken: () => {},
        onProblem: ({ code }) => expect.unreachable(code),
      },
      { now: () => nowMs, random: () => 0, pause: async () => {} },
      end.signal,
    );
    expect(asked).toEqual(['read', 'read', 'wait', 'read']);
  },
);

test('an index that was given, and not answered, proves no restore when it is found lower', async () => {
  const doubts = createDoubts();
  const end = new AbortController();
  const said: boolean[] = [];
  let reads = 0;
  await follow<string[]>(
    {
      doubts,
      from: '650',
      read: async ({ block, signal }) => {
        reads += 1;
        if (reads === 1) doubts.raise(0);
        if (reads === 3) end.abort();
        signal?.throwIfAborted();
        expect(block).toBeUndefined();
        return { value: ['x'], index: '600', lastContactMs: 0, knownLeader: true, filtered: false };
      },
      empty: () => false,
      onValue: (_, { restored }) => said.push(restored),
      onSame: () => {},
      onBroken: () => {},
      onProblem: ({ code }) => expect.unreachable(code),
    },
    { now: () => 0, random: () => 0, pause: async () => {} },
    end.signal,
  );
  expect(said).toEqual([false]);
});

test('where waits are cut short, that is learned from two that were cut alike, and no longer ones are asked for', async () => {
  const cut = (tookMs: number) => ({ reply: { index: '5' }, tookMs });
  const { asked } = await play([
    ...[1, 1, 10_300, 1, 10_600, 1, 9_300, 9_500].map(cut),
    { reply: { index: '6' }, tookMs: 3_000 },
  ]);
  expect(asked.map((block) => (block === null || block === 'stale' ? null : block?.waitMs))).toEqual([
    ...[null, null, 45_000, null, 45_000, null],
    ...[9_270, 9_270, 9_270],
  ]);
});

test('many that are woken one after the other are one doubt', () => {
  const doubts = createDoubts();
  let heard = 0;
  const leave = doubts.onDoubt(() => {
    heard += 1;
  });
  for (let atMs = 0; atMs < 4_900; atMs += 100) doubts.raise(atMs);
  expect(heard).toBe(1);
  doubts.raise(5_000);
  expect(heard).toBe(2);
  leave();
  doubts.raise(20_000);
  expect(heard).toBe(2);
});

test('a clock that is set back during a read costs one rest, and is not taken for what reads cost', async () => {
  const { pauses } = await play([
    { reply: { index: '5' }, tookMs: 100 },
    { reply: { index: '6' }, tookMs: -3_600_000 },
    { reply: { index: '7' }, tookMs: 100 },
    { reply: { index: '8' }, tookMs: 100 },
    { reply: { index: '9' }, tookMs: 100 },
  ]);
  expect(pauses).toEqual([400, 1_000, 400, 400, 400]);
});

test('an empty prefix that wakes for the writes of others rests longer and longer', async () => {
  const { pauses } = await play(
    Array.from({ length: 8 }, (_, n) => ({ reply: { value: [], index: String(n + 1) } })),
  );
  expect(pauses.slice(1)).toEqual([400, 800, 1_600, 2_000, 2_000, 2_000, 2_000]);
});

test('failures back off and are said; the next read does not use an old index', async () => {
  const { asked, pauses, said } = await play([
    { reply: { index: '5' } },
    { reply: { index: '5' } },
    { reply: failure('unavailable') },
    { reply: failure('unavailable') },
    { reply: failure('unavailable') },
    { reply: { index: '5' } },
  ]);
  expect(said).toEqual(['x@5', 'same', 'unavailable', 'unavailable', 'unavailable', 'x@5']);
  expect(asked.slice(3)).toEqual([null, null, null]);
  expect(pauses).toEqual([30, 125, 250, 500, 30]);
});

test('an agent that limits requests is asked far less often than one that fails', async () => {
  const { pauses } = await play([
    { reply: failure('busy', 429) },
    { reply: failure('busy', 429) },
    { reply: failure('busy', 503) },
    { reply: failure('busy', 503) },
    { reply: failure('busy', 503) },
    { reply: { index: '5' } },
    { reply: failure('busy', 429) },
  ]);
  expect(pauses).toEqual([1_000, 2_000, 4_000, 7_500, 7_500, 30, 1_000]);
});

test('the first read, and the first after a failure, is answered by a leader that has caught up', async () => {
  const { asked, sure } = await play([
    { reply: { index: '5' } },
    { reply: { index: '5' } },
    { reply: failure('no-leader', 500), tookMs: 7_000 },
    { reply: { index: '5' } },
    { reply: failure('unavailable', 500) },
    { reply: { index: '6' } },
    { reply: { index: '6' } },
  ]);
  expect(asked.indexOf('stale')).toBe(3);
  expect(sure).toEqual([true, false, false, false, true, true, false]);
});

test('without a leader a stale read shows what there is', async () => {
  const { asked, said } = await play([
    { reply: failure('no-leader', 500) },
    { reply: { index: '9', value: ['old'] } },
    { reply: { index: '10', value: ['new'] } },
  ]);
  expect(asked).toEqual([null, 'stale', null]);
  expect(said).toEqual(['no-leader', 'stale old@9', 'new@10']);
});

test('a proxy that does not let queries block is not asked in a tight loop', async () => {
  const { pauses } = await play([
    { reply: { index: '5' } },
    { reply: { index: '5' } },
    { reply: { index: '5' }, tookMs: 1 },
    { reply: { index: '5' }, tookMs: 1 },
    { reply: { index: '5' }, tookMs: 1 },
  ]);
  expect(pauses).toEqual([30, 1_000, 1_000]);
});

test('without an index every answer is taken, nothing is waited for, and it is read about once a second', async () => {
  const { asked, pauses, said } = await play([
    { reply: { index: '5' } },
    { reply: { index: '5' } },
    { reply: { index: null, value: ['y'] }, tookMs: 20_000 },
    { reply: { index: null, value: ['y'] } },
    { reply: { index: null, value: ['z'] }, tookMs: 300 },
    { reply: { index: '7', value: ['z'] } },
    { reply: { index: '7', value: ['z'] } },
    { reply: { index: '7', value: ['z'] }, tookMs: 45_000 },
  ]);
  expect(said).toEqual(['x@5', 'same', 'y@null', 'y@null', 'z@null', 'z@7', 'same', 'same']);
  expect(asked.map((block) => (block === null ? 'read' : 'wait'))).toEqual([
    'read',
    'read',
    'wait',
    'read',
    'read',
    'read',
    'read',
    'wait',
  ]);
  expect(pauses).toEqual([30, 1_000, 1_000, 1_000, 30]);
});

const broken = new ConsulError(
  { code: 'unavailable', why: { code: 'connection-broke', facts: {} } },
  null,
  '',
);

test('a wait that breaks is read again at once, and is a problem only when that fails too', async () => {
  const { asked, said, pauses } = await play([
    { reply: { index: '5' } },
    { reply: { index: '5' } },
    { reply: broken, tookMs: 10_000 },
    { reply: { index: '5' } },
    { reply: broken, tookMs: 10_000 },
    { reply: { index: '6' } },
    { reply: { index: '6' } },
    { reply: broken, tookMs: 10_000 },
    { reply: broken },
    { reply: { index: '6' } },
  ]);
  expect(kinds(asked)).toEqual([
    'read',
    'read',
    'wait',
    'read',
    'wait',
    'read',
    'read',
    'wait',
    'read',
    'read',
  ]);
  expect(said).toEqual([
    'x@5',
    'same',
    'broken',
    'same',
    'broken',
    'x@6',
    'same',
    'broken',
    'unavailable',
    'x@6',
  ]);
  expect(pauses.length).toBe(4);
});

test('consecutive broken waits become shorter until one is answered; a single one changes nothing', async () => {
  const read = { reply: { index: '5' } };
  const cut = (tookMs: number) => [{ reply: broken, tookMs }, read];
  const wait = (tookMs: number) => ({ reply: { index: '5' }, tookMs });
  const { asked } = await play([
    read,
    read,
    ...cut(45_000),
    wait(45_000),
    ...cut(45_000),
    ...cut(45_000),
    ...cut(22_500),
    ...cut(11_250),
    wait(5_625),
    wait(5_625),
  ]);
  const waits = asked.flatMap((block) =>
    block === null || block === 'stale' || !block ? [] : [block.waitMs],
  );
  expect(waits).toEqual([45_000, 45_000, 45_000, 45_000, 22_500, 11_250, 5_625, 5_625]);
});

test('waits that break at once, one after the other, are a problem: they are in vain', async () => {
  const { asked, said } = await play([
    { reply: { index: '5' } },
    { reply: { index: '5' } },
    { reply: broken, tookMs: 100 },
    { reply: { index: '5' } },
    { reply: broken, tookMs: 100 },
  ]);
  expect(kinds(asked)).toEqual(['read', 'read', 'wait', 'read', 'wait']);
  expect(said).toEqual(['x@5', 'same', 'broken', 'same', 'unavailable']);
});

test.each<[string, readonly (readonly [string, number])[]]>([
  [
    'with a change between them',
    [
      ['5', 1],
      ['5', 1],
      ['5', 10_300],
      ['5', 1],
      ['6', 20_000],
      ['6', 10_600],
      ['6', 1],
      ['6', 45_000],
    ],
  ],
  [
    'after less than five seconds',
    [
      ['5', 1],
      ['5', 1],
      ['5', 3_000],
      ['5', 1],
      ['5', 3_100],
      ['5', 1],
      ['5', 45_000],
    ],
  ],
])('two waits that end alike %s do not shorten the next ones', async (_, answers) => {
  const { asked } = await play(answers.map(([index, tookMs]) => ({ reply: { index }, tookMs })));
  const waits = asked.flatMap((block) => (block === null || block === 'stale' ? [] : (block?.waitMs ?? [])));
  expect(waits.length).toBeGreaterThan(2);
  expect(new Set(waits)).toEqual(new Set([45_000]));
});
