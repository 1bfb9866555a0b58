/** The run itself, on empty stages: every fault has its row, whatever fails. */
import { expect, test } from 'vitest';
import type { Fault } from './fault';
import type { Ground } from './ground';
import { type Played, run } from './run';
import type { Stage } from './stage';

const ground: Ground = { name: 'nothing', raise: () => Promise.reject(new Error('of no use here')) };
const fault = (name: string, over: Partial<Fault> = {}): Fault => ({
  name,
  title: name,
  ground,
  hits: 'console',
  lastsMs: [0, 0],
  inject: async () => {},
  mend: async () => {},
  ...over,
});

/** Plays them; each row, and on which stage it was played, the first one being 1. */
async function playAll(
  faults: readonly Fault[],
  { raises = [], on = {} }: { raises?: readonly boolean[]; on?: object } = {},
) {
  const rows: { readonly played: Played; readonly stage: number | null }[] = [];
  const stages: Stage[] = [];
  let raised = 0;
  let struck = 0;
  await run({
    faults,
    seed: 1,
    minutes: 0,
    readyMs: 0,
    say: () => {},
    raise: async () => {
      raised += 1;
      if (raises[raised - 1] === false) throw new Error('no stage today');
      const stage = {
        viewers: [],
        undone: [],
        workload: {
          pulse: { behindMs: () => 0 },
          contenders: { losses: [] },
          operator: {
            deeds: [],
            evicted: new Set(),
            refusedLimits: new Set(),
            lookedAgain: [],
            asked: new Set(),
          },
        },
        proxy: { calls: [] },
        reader: {
          watch: () => {},
          failing: async () => new Set(),
          truth: async () => ({ entries: [], sessions: [], failing: new Set() }),
        },
        say: () => {},
        strike: async () => {
          struck += 1;
        },
        ...on,
      } as unknown as Stage;
      stages.push(stage);
      return stage;
    },
    onPlayed: (played, stage) =>
      void rows.push({ played, stage: stage === null ? null : stages.indexOf(stage) + 1 }),
  });
  const failed = rows
    .filter(({ played }) => played.violations.length > 0)
    .map(({ played }) => `${played.fault}: ${played.violations.map(({ text }) => text).join('; ')}`);
  return { rows, failed, stages: stages.length, struck };
}

test('faults that go well share one stage, which is struck', async () => {
  const { rows, failed, stages, struck } = await playAll([fault('a'), fault('b')]);
  expect(rows.map(({ stage }) => stage)).toEqual([1, 1]);
  expect({ failed, stages, struck }).toEqual({ failed: [], stages: 1, struck: 1 });
});

test('a fault that cannot be made is undone, is a row with its error, and the next one has a new stage', async () => {
  let undone = 0;
  const throws = fault('bad', {
    inject: () => Promise.reject(new Error('no way')),
    mend: async () => {
      undone += 1;
    },
  });
  const { rows, failed, stages, struck } = await playAll([throws, fault('a'), fault('b')]);
  const at = rows.findIndex(({ played }) => played.fault === 'bad');
  expect(failed).toEqual(['bad: to make it: no way']);
  expect(undone).toBe(1);
  expect(rows.map(({ stage }) => stage)).toEqual([0, 1, 2].map((i) => (i <= at ? 1 : 2)));
  expect({ stages, struck }).toEqual({ stages: 2, struck: 2 });
});

test('a fault that cannot be undone is a row with its error', async () => {
  const { rows, failed } = await playAll([
    fault('stays', { mend: () => Promise.reject(new Error('it stays')) }),
    fault('a'),
  ]);
  expect(rows).toHaveLength(2);
  expect(failed).toEqual(['stays: to undo it: it stays']);
});

test('where no stage can be raised every fault has its row all the same', async () => {
  const { rows, failed } = await playAll([fault('a'), fault('b'), fault('c')], { raises: [false, false] });
  expect(rows.map(({ stage }) => stage)).toEqual([null, null, null]);
  expect(failed.filter((line) => line.includes('no stage today'))).toHaveLength(2);
  expect(failed.filter((line) => line.includes('none could be raised before'))).toHaveLength(1);
});

/** A world with one session, as the reader and as a screen have it. */
const truth = (id: string) => ({ entries: [], sessions: [id], failing: new Set() });
const failing = async () => new Set();
const screen = (id: string) => ({
  live: true,
  says: 'live',
  snapshot: { sessions: [{ id }], locks: [], semaphores: [] },
});

test('a screen that shows what was read a moment ago equals Consul, although Consul has moved on', async () => {
  let reads = 0;
  const reader = { watch: () => {}, failing, truth: async () => truth(`s${++reads}`) };
  const behind = { said: [], screen: () => screen(`s${reads - 1}`) };
  const { rows, failed } = await playAll([fault('a')], { on: { reader, viewers: [behind] } });
  expect(failed).toEqual([]);
  expect(rows[0]?.played.recoveredMs).not.toBeNull();
});

test('screens that equal Consul one after the other have all recovered, and none that has gone off again', async () => {
  let reads = 0;
  const reader = { watch: () => {}, failing, truth: async () => truth(`s${++reads}`) };
  const turns = (mine: 0 | 1) => ({
    said: [],
    screen: () => screen(reads % 2 === mine ? `s${reads}` : 'odd'),
  });
  const both = await playAll([fault('a')], { on: { reader, viewers: [turns(0), turns(1)] } });
  expect(both.failed).toEqual([]);
  const gone = { said: [], screen: () => ({ ...screen(`s${reads}`), live: reads <= 1, says: 'old' }) };
  const viewers = [gone, turns(0), turns(1)];
  const { failed } = await playAll([fault('a', { settleMs: 300 })], { on: { reader, viewers } });
  expect(failed).toEqual(['a: the screen says old']);
});

test('a screen that shows what no read has said since the fault is named with what differs', async () => {
  const reader = { watch: () => {}, failing, truth: async () => truth('now') };
  const frozen = { said: [], screen: () => screen('before') };
  const { failed } = await playAll([fault('a', { settleMs: 300 })], { on: { reader, viewers: [frozen] } });
  expect(failed).toEqual(['a: Consul: session now | screen: session before']);
});

test.each([
  ['well', 'node-passing', ['a: s for more than 300 ms']],
  ['not known', 'node-unknown', []],
])('a live screen that calls a holder %s whose node has been critical for long', async (_, code, broken) => {
  const holder = { sessionId: 's', verdict: 'alive', evidence: [{ code }] };
  const locks = [{ key: 'k', exists: true, holder, flags: '0', modifyIndex: '7', value: null }];
  const viewer = {
    said: [],
    screen: () => ({ ...screen('s'), snapshot: { ...screen('s').snapshot, locks } }),
  };
  const reader = { watch: () => {}, failing: async () => new Set(['s']), truth: async () => truth('s') };
  const long = fault('a', { boundMs: 300, lastsMs: [2_500, 2_500], settleMs: 0 });
  const { rows } = await playAll([long], { on: { reader, viewers: [viewer] } });
  const said = rows.flatMap(({ played }) => played.violations).filter((one) => one.invariant !== 'not-equal');
  expect(said.map(({ text }) => `a: ${text}`)).toEqual(broken);
});

/** The breaches reported for one fault, on a stage with this flaw. */
async function brokenBy(on: object, over: Partial<Fault> = {}) {
  const { rows } = await playAll([fault('a', { settleMs: 300, lastsMs: [300, 300], ...over })], { on });
  return rows.flatMap(({ played }) => played.violations.map(({ invariant }) => invariant));
}
const operator = {
  deeds: [],
  evicted: new Set(),
  refusedLimits: new Set([12]),
  lookedAgain: [],
  asked: new Set(['chaos/limit']),
};
const work = (over: object = {}) => ({
  workload: { pulse: { behindMs: () => 0 }, contenders: { losses: [] }, operator, ...over },
});
const reading = (value: string) => ({
  watch: (_: string, onState: (entries: readonly object[]) => void) =>
    onState([
      {
        key: 'chaos/limit/.lock',
        value,
        session: null,
        flags: '16210313421097356768',
        modifyIndex: '7',
      },
    ]),
  failing,
  truth: async () => truth('s'),
});

test('a limit that was refused and appears is reported as that', async () => {
  expect(await brokenBy({ ...work(), reader: reading('{"Limit":12,"Holders":{}}') })).toEqual([
    'refused-but-there',
  ]);
  expect(await brokenBy({ ...work(), reader: reading('{"Limit":13,"Holders":{}}') })).toEqual([]);
});

test('an unwanted write is reported, also while the fault hits the clients', async () => {
  const calls: object[] = [];
  const send = async () =>
    void calls.push({ line: 'PUT /v1/session/destroy/x', text: '', status: 200, told: true });
  expect(await brokenBy({ ...work(), proxy: { calls } }, { hits: 'clients', inject: send })).toEqual([
    'unasked',
  ]);
});

test('a slot lost without an eviction is a loss, unless the fault is one of Consul', async () => {
  const losing = () => {
    const losses: object[] = [];
    const lose = async () => void losses.push({ askedMs: 0, atMs: 1, sessions: ['a'], text: 'lost' });
    return { on: work({ contenders: { losses } }), inject: lose };
  };
  const [ours, theirs] = [losing(), losing()];
  expect(await brokenBy(ours.on, { inject: ours.inject })).toEqual(['lost']);
  expect(await brokenBy(theirs.on, { inject: theirs.inject, hits: 'clients' })).toEqual([]);
});

test('no answer to an action is reported, unless the fault stops Signalbox itself', async () => {
  const silent = () => {
    const deeds: object[] = [];
    const act = async () => {
      const nowMs = performance.now();
      const action = { type: 'lock.delete', source: 'consul', key: 'k' };
      const common = {
        action,
        told: 'no-answer',
        seen: false,
        own: true,
        calls: [],
        unheard: false,
        parts: [],
      };
      deeds.push({ atMs: nowMs, answeredMs: nowMs, ...common });
    };
    return { on: work({ operator: { ...operator, deeds } }), inject: act };
  };
  const [ours, stopped] = [silent(), silent()];
  expect(await brokenBy(ours.on, { inject: ours.inject })).toEqual(['unanswered']);
  expect(await brokenBy(stopped.on, { inject: stopped.inject, silences: true })).toEqual([]);
});

test('a page that was loaded anew is reported once, by its number', async () => {
  const answers = [true, false];
  const page = { said: [], screen: () => screen('s'), reloaded: async () => answers.shift() ?? false };
  const reader = { watch: () => {}, failing, truth: async () => truth('s') };
  const { failed } = await playAll([fault('a'), fault('b')], { on: { reader, viewers: [page] } });
  expect(failed.map((line) => line.slice(1))).toEqual([': screen 1']);
});

test('a screen of one lock has recovered when it shows what was written a moment ago, not when it says so', async () => {
  const reader = { watch: () => {}, failing, truth: async () => truth('s') };
  const behind = (ms: number) => ({ workload: { ...work().workload, pulse: { behindMs: () => ms } } });
  const one = { part: true, said: [], screen: () => screen('another') };
  const on = { reader, viewers: [one] };
  const late = await playAll([fault('a', { settleMs: 300 })], { on: { ...on, ...behind(2_500) } });
  expect(late.failed).toEqual(['a: the screen of one lock is 2500 ms behind']);
  expect((await playAll([fault('a')], { on: { ...on, ...behind(1_500) } })).failed).toEqual([]);
});

test('where one screen may be old for longer, the others may not', async () => {
  const reader = { watch: () => {}, failing, truth: async () => truth('s') };
  const old = { workload: { ...work().workload, pulse: { behindMs: () => 60_000 } } };
  const viewers = [
    { said: [], boundMs: 10_000, screen: () => screen('s') },
    { said: [], boundMs: 300, screen: () => screen('s') },
  ];
  const long = fault('a', { lastsMs: [1_000, 1_000] });
  const { failed } = await playAll([long], { on: { reader, viewers, ...old } });
  expect(failed).toEqual([
    expect.stringMatching(/^a: screen 2 for more than 300 ms, \d+ ms after the fault began$/),
  ]);
});
