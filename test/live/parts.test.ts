import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import { createSparePolls, type SparePolls } from '@/lib/providers/consul/client/spare-polls';
import type { TxnOp } from '@/lib/providers/consul/client/wire';
import type { ConsulView } from '@/lib/providers/consul/recognise/view';
import { semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { startWatching, type Watching } from './watching';

/** More than are read together (`splitRows`), and none of them is touched by a test. */
const stable = Array.from({ length: 4_500 }, (_, n) => `stable/${(n * 7919).toString(16).slice(-3)}/${n}`);

const isStable = new Set(stable);

let consul: TestConsul;
let client: ConsulClient;
let watching: Watching | null = null;
let polls: number[] = [];

/** Reports the number of used polls, which shows whether the prefix was read in parts. */
function spareSeen(total = 33): SparePolls {
  const spare = createSparePolls({ total, each: 3 });
  return {
    begin: spare.begin,
    claim: (onLess) => {
      const claim = spare.claim(onLess);
      const use = (count: number) => {
        polls.push(count);
        claim.use(count);
      };
      return { ...claim, use };
    },
  };
}
const inParts = () => (polls.at(-1) ?? 0) > 0;

async function write(ops: readonly TxnOp[]) {
  for (let at = 0; at < ops.length; at += 64) {
    const outcome = await client.txn(ops.slice(at, at + 64));
    if (!outcome.done) throw new Error(outcome.errors[0]?.what);
  }
}
const set = (key: string, value = 'x', flags = '0'): TxnOp => ({
  verb: 'set',
  key,
  value: Buffer.from(value),
  flags,
});
/** Coordination entry and contender of a semaphore, in one transaction: a joint read sees one value. */
const semaphore = (prefix: string, round: number): TxnOp[] => [
  set(`${prefix}/.lock`, `{"Limit":2,"Holders":{},"round":${round}}`, semaphoreFlags),
  set(
    `${prefix}/0d3b2c5e-0000-4000-8000-000000000001`,
    `{"Limit":2,"Holders":{},"round":${round}}`,
    semaphoreFlags,
  ),
];
const valueIn = (view: ConsulView, key: string) => view.rows.find((row) => row.key === key)?.value.toString();

const shown = (view: ConsulView | undefined) =>
  (view?.rows ?? []).map(({ key, modifyIndex, value }) => `${key} ${modifyIndex} ${value}`);

/** Resolves when what is shown is what a fresh read of everything says. */
async function equalsFreshRead() {
  await until(
    async () => {
      const fresh = (await client.list('', { consistency: 'consistent' })).value;
      const wanted = fresh.map(({ key, modifyIndex, value }) => `${key} ${modifyIndex} ${value}`).sort();
      return JSON.stringify(shown(watching?.views.at(-1)).sort()) === JSON.stringify(wanted);
    },
    { what: 'what is shown to equal a fresh read', everyMs: 200 },
  );
}

/** No view since `from` lacks a row that was there all along, or has a row twice, or out of order. There was no gap. */
function expectWhole(from: number) {
  expect(watching?.gaps()).toBe(0);
  for (const { rows, roots } of watching?.views.slice(from) ?? []) {
    expect(rows.filter(({ key }) => isStable.has(key))).toHaveLength(stable.length);
    expect(rows.every((row, i) => i === 0 || (rows[i - 1]?.key ?? '') < row.key)).toBe(true);
    expect(roots).toEqual(['']);
  }
}

async function startInParts(spare = spareSeen()): Promise<{ from: number; states: number }> {
  watching = startWatching(client, [''], [], spare);
  await watching.reaches('live');
  await until(inParts, { what: 'the prefix to be read in parts' });
  return { from: watching.views.length, states: watching.sources.length };
}

beforeAll(async () => {
  consul = await startConsul();
  client = consul.client();
  await write(stable.map((key) => set(key)));
});
beforeEach(() => {
  polls = [];
});
afterEach(async () => {
  await watching?.stop();
  watching = null;
  const { value } = await client.list('');
  const mine = value.filter(({ key }) => !isStable.has(key));
  await write(mine.map(({ key, modifyIndex }) => ({ verb: 'delete-cas', key, index: modifyIndex })));
});
afterAll(() => consul.stop());

test('read in parts, the view equals a fresh read after any writes and deletes, and no row vanishes on the way', async () => {
  const { from, states } = await startInParts();
  // Folders beside and within those that are cut, some of them new, some gone again.
  const folders = ['stable', 'stable/1', 'stable/a', 'new', 'jobs/one', 'jobs/two', 'new/deep'];
  const step = fc.record({
    folder: fc.constantFrom(...folders),
    name: fc.constantFrom('lock', 'q', '-', 'é', 'z z', 'sub/lock'),
    gone: fc.boolean(),
  });
  const steps = fc.sample(step, { numRuns: 250, seed: 27 });
  for (const [round, { folder, name, gone }] of steps.entries()) {
    const key = `${folder}/${folder.startsWith('stable') ? 'mine-' : ''}${name}`;
    if (!gone) await client.cas({ key, value: Buffer.from(String(round)), flags: '0', index: '0' });
    else await client.deleteCas(key, (await client.get(key)).value?.modifyIndex ?? '1');
    if (round % 25 === 0) await write(semaphore(`pools/p${round % 3}`, round));
  }
  await equalsFreshRead();
  expectWhole(from);
  const said = watching?.sources.slice(states).map(({ state }) => state);
  // On a busy machine news is slow now and then, and said to be.
  expect(said?.filter((state) => state !== 'live' && state !== 'catching-up')).toEqual([]);
});

test('a key outside of all parts appears, and nothing is said to be stale or new on the way', async () => {
  const { from, states } = await startInParts();
  await write([set('elsewhere/lock')]);
  await until(() => watching?.views.at(-1)?.rows.some(({ key }) => key === 'elsewhere/lock'), {
    what: 'the key',
  });
  expect(inParts()).toBe(true);
  expectWhole(from);
  const said = watching?.sources.slice(states).map(({ state }) => state);
  expect(said?.filter((state) => state !== 'live' && state !== 'catching-up')).toEqual([]);
});

test('names without a new place are asked for ever more seldom, down to once a second, and a new place is found all the same', async () => {
  let asked = 0;
  const strays: ConsulClient['strays'] = (...asking) => {
    asked += 1;
    return client.strays(...asking);
  };
  watching = startWatching({ ...client, strays }, [''], [], spareSeen());
  await watching.reaches('live');
  await until(inParts, { what: 'the prefix to be read in parts' });
  const before = asked;
  const beganMs = performance.now();
  for (let round = 0; performance.now() - beganMs < 3_000; round += 1) {
    const key = stable[round % stable.length] ?? '';
    await write([set(key, `round ${round}`)]);
    await until(() => valueIn(watching?.views.at(-1) as ConsulView, key) === `round ${round}`, { what: key });
  }
  // At the most five rests that are shorter than a second, the question before them and the one that waits at the end.
  expect(asked - before).toBeLessThanOrEqual(7 + (performance.now() - beganMs) / 1_000);
  expect(inParts()).toBe(true);
  await write([set('elsewhere/later')]);
  await until(() => watching?.views.at(-1)?.rows.some(({ key }) => key === 'elsewhere/later'), {
    what: 'the key at a new place',
  });
  expect(inParts()).toBe(true);
  await write(stable.map((key) => set(key)));
});

test('a folder that is cut and becomes a semaphore is read as a whole before anything of it is shown', async () => {
  const { from } = await startInParts();
  // In a folder that is cut between `stable/0` and `stable/1`.
  const { stop, rounds } = writing((round) => write(semaphore('stable', round)));
  await until(() => rounds() >= 5, { what: 'five rounds' });
  await stop();
  const last = rounds();
  const key = 'stable/0d3b2c5e-0000-4000-8000-000000000001';
  await until(() => valueIn(watching?.views.at(-1) as ConsulView, key)?.includes(`"round":${last}}`), {
    what: 'the last round',
  });
  for (const view of watching?.views.slice(from) ?? [])
    expect(valueIn(view, 'stable/.lock')).toBe(valueIn(view, key));
  expect(watching?.world().semaphores.map(({ prefix }) => prefix)).toContain('stable');
});

test('a semaphore beside the cuts is never seen torn while its entries change together', async () => {
  await write(semaphore('pools/a', 0));
  const { from } = await startInParts();
  const { stop, rounds } = writing((round) => write(semaphore('pools/a', round)));
  await until(() => rounds() >= 40 && (watching?.views.length ?? 0) > from + 10, { what: 'many rounds' });
  await stop();
  for (const view of watching?.views.slice(from) ?? [])
    expect(valueIn(view, 'pools/a/.lock')).toBe(
      valueIn(view, 'pools/a/0d3b2c5e-0000-4000-8000-000000000001'),
    );
  expectWhole(from);
});

test('another watch of the same address gets the polls that it needs, and both stay whole', async () => {
  const spare = createSparePolls({ total: 42, each: 3 });
  let watches = 0;
  let used = [0, 0];
  const within = () => used.reduce((a, b) => a + b) <= 42 - 3 * watches;
  const seen = (n: number): SparePolls => ({
    begin: () => {
      watches += 1;
      const end = spare.begin();
      expect(within(), 'a watch began').toBe(true);
      return end;
    },
    claim: (onLess) => {
      const claim = spare.claim(onLess);
      const use = (count: number) => {
        used = used.map((was, i) => (i === n ? count : was));
        claim.use(count);
        if (n === 1) expect(within(), 'the other one').toBe(true);
      };
      return { ...claim, use };
    },
  });
  watching = startWatching(client, [''], [], seen(0));
  await until(() => (used[0] ?? 0) > 0, { what: 'the first in parts' });
  const other = startWatching(client, [''], [], seen(1));
  await until(() => used.every((count) => count > 0), { what: 'both in parts' });
  expect(within()).toBe(true);
  await write([set('stable/both')]);
  for (const one of [watching, other])
    await until(() => one.views.at(-1)?.rows.some(({ key }) => key === 'stable/both'), { what: 'the key' });
  await other.stop();
});

test('polls that others needed and gave back are used, however little a prefix has grown', async () => {
  const spare = spareSeen();
  const others = Array.from({ length: 10 }, () => spare.begin());
  watching = startWatching(client, [''], [], spare);
  await watching.reaches('live');
  await write([set('stable/short')]);
  await until(() => watching?.views.at(-1)?.rows.some(({ key }) => key === 'stable/short'), {
    what: 'the key',
  });
  expect(inParts()).toBe(false);
  for (const end of others) end();
  await write([set('stable/spare')]);
  await until(inParts, { what: 'parts' });
});

test('read in parts, an agent that ends and comes back is read in full, with every change since', async () => {
  await startInParts();
  await consul.kill();
  await watching?.reaches('down');
  await consul.restart();
  await write([set('stable/meanwhile'), set('elsewhere/meanwhile')]);
  await watching?.reaches('live');
  await equalsFreshRead();
  await until(inParts, { what: 'parts again', timeoutMs: 45_000 });
});

/** Writes one round after the other until stopped. */
function writing(one: (round: number) => Promise<void>) {
  let rounds = 0;
  let on = true;
  const ended = (async () => {
    while (on) {
      await one(rounds + 1);
      rounds += 1;
    }
  })();
  return {
    rounds: () => rounds,
    stop: async () => {
      on = false;
      await ended;
    },
  };
}

test('of tens of thousands of rows the part that changes is cut finer, one that is quiet is not', async () => {
  const hex = (n: number) => n.toString(16).padStart(2, '0');
  const many = Array.from({ length: 34_000 }, (_, n) => `many/${hex(n % 256)}/${n}`);
  await write(many.map((key) => set(key)));
  try {
    await startInParts(spareSeen(84));
    await until(() => (polls.at(-1) ?? 0) >= 16, { what: 'all of it to be cut' });
    const [cut = 0] = polls.slice(-1);
    const { views = [] } = watching ?? {};
    const change = async (key: string, value: string) => {
      await write([set(key, value)]);
      await until(() => views.some((view) => valueIn(view, key) === value), { what: key });
    };
    await change('many/a0/160', 'once');
    await until(() => (polls.at(-1) ?? 0) > cut, { what: 'finer parts' });
    const finer = polls.at(-1);
    await change('many/a1/161', 'again');
    await change('many/a0/160', 'twice');
    expect(polls.at(-1)).toBe(finer);
    await equalsFreshRead();
  } finally {
    await watching?.stop();
    await fetch(`http://${consul.address}/v1/kv/many/?recurse`, { method: 'DELETE' });
  }
}, 240_000);

test('some hundred rows are read in parts as well, and what changes, comes or goes among them is seen', async () => {
  const few = Array.from({ length: 600 }, (_, n) => `few/${(n * 7919).toString(16).slice(-2)}/${n}`);
  await write(few.map((key) => set(key)));
  watching = startWatching(client, ['few/'], [], spareSeen());
  await watching.reaches('live');
  await until(inParts, { what: 'the prefix to be read in parts' });
  await write([set(few[300] ?? '', 'changed'), set('few/new')]);
  const gone = few[7] ?? '';
  await client.deleteCas(gone, (await client.get(gone)).value?.modifyIndex ?? '1');
  const last = () => watching?.views.at(-1);
  await until(
    () => {
      const view = last();
      if (view === undefined || view.rows.length !== few.length) return false;
      return valueIn(view, few[300] ?? '') === 'changed' && valueIn(view, 'few/new') === 'x';
    },
    { what: 'all three' },
  );
  expect(last()?.rows.some(({ key }) => key === gone)).toBe(false);
  expect(inParts()).toBe(true);
  expect(watching.gaps()).toBe(0);
});

test('some hundred rows that change all over are read as a whole, and no change or new key is missed on the way', async () => {
  const busy = Array.from({ length: 600 }, (_, n) => `busy/${(n * 7919).toString(16).slice(-2)}/${n}`);
  await write(busy.map((key) => set(key)));
  watching = startWatching(client, ['busy/'], [], spareSeen());
  await watching.reaches('live');
  await until(inParts, { what: 'the prefix to be read in parts' });
  const from = watching.views.length;
  const valuesIn = ({ rows }: ConsulView) => {
    const values = new Map(rows.map(({ key, value }) => [key, value.toString()]));
    return busy.map((key) => values.get(key));
  };
  let round = 0;
  await until(
    async () => {
      round += 1;
      await write(
        busy.flatMap((key, n) => [set(key, String(round)), ...(n % 9 === 0 ? [set(`${key}/${round}`)] : [])]),
      );
      return !inParts();
    },
    { what: 'the prefix to be read as a whole', everyMs: 0 },
  );
  await until(
    () => valuesIn(watching?.views.at(-1) as ConsulView).every((value) => value === String(round)),
    {
      what: 'what was written last',
    },
  );
  expect(watching.views.slice(from).flatMap(valuesIn)).not.toContain(undefined);
  expect(watching.gaps()).toBe(0);
  expect(watching.sources.at(-1)?.state).toBe('live');
});
