/** Many writes a second under a prefix that is watched. */
import { startSignalbox } from '@/e2e/support/signalbox';
import { pause } from '@/lib/consul/client/clock';
import type { Patch, RowEdit } from '@/lib/domain/change';
import type { Lock } from '@/lib/domain/model';
import { startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';
import { crowd, writeAs } from './crowd';
import { openEvents } from './events';
import { type Bench, type BenchStage, type Figure, ms, quantile } from './figure';
import { plainHttp } from './plain';
import { createScales } from './weighed';

const sizes = [1_000, 10_000];
const perSecond = 500;
const churnMs = 60_000;
const idleMs = 5_000;
/** As long as the Consul agent lets it: a late writer catches up. */
const writersMax = 16;
const shareMax = 0.4;
const ageMaxMs = 1_000;

interface Written {
  readonly value: string;
  readonly atMs: number;
}

const share = (part: number) => `${(part * 100).toFixed(0)} % of a core`;

/** The value that an edit brings: new, or with another content. */
function contentOf({ set, in: within }: RowEdit): unknown {
  const part = within?.value;
  const whole = set?.value as { readonly content?: unknown } | null | undefined;
  return whole?.content ?? (part !== undefined && 'set' in part ? part.set?.content : undefined);
}

/** Keys of locks with the values that a patch shows. */
const valuesIn = ({ put, edit }: Patch): readonly (readonly [string, unknown])[] => [
  ...(put.locks ?? []).map(({ key, value }) => [key, value?.content] as const),
  ...(edit.locks ?? []).map((one) => [one.of, contentOf(one)] as const),
];

async function measure(size: number, { defer, say }: BenchStage): Promise<Figure[]> {
  const name = `${size.toLocaleString('en')} rows`;
  const consul = await startConsul();
  const plain = plainHttp(consul.address);
  defer(plain.close);
  const { locks } = await crowd(plain, 'churn/', size);
  const scales = createScales();
  defer(scales.remove);
  const signalbox = await startSignalbox({ consulAddress: consul.address, env: { ...scales.env } });
  const weighed = scales.process();

  /** Writes by key that no patch has shown yet, oldest first. */
  const open = new Map<string, Written[]>();
  const ages: number[] = [];
  let patches = 0;
  const events = await openEvents(signalbox.baseUrl, ({ event, data, atMs }) => {
    if (event !== 'patch') return;
    patches += 1;
    for (const [key, shown] of valuesIn(JSON.parse(data))) {
      const waiting = open.get(key);
      const at = waiting?.findIndex(({ value }) => value === shown) ?? -1;
      // A later value shows the earlier ones, too: nobody needs to see each of them.
      for (const { atMs: wroteMs } of waiting?.splice(0, at + 1) ?? [])
        ages.push(Math.max(0, atMs - wroteMs));
    }
  });

  await pause(2_000);
  const idleFrom = { cpuMs: weighed.cpuMs(), atMs: performance.now() };
  await pause(idleMs);
  const idle = (weighed.cpuMs() - idleFrom.cpuMs) / (performance.now() - idleFrom.atMs);

  const from = { cpuMs: weighed.cpuMs(), atMs: performance.now(), patches };
  let written = 0;
  const underWay = new Set<Promise<void>>();
  while (performance.now() - from.atMs < churnMs) {
    const due = ((performance.now() - from.atMs) / 1000) * perSecond;
    while (written < due && underWay.size < writersMax) {
      const lock = locks[(written * 7919) % locks.length];
      if (lock === undefined) throw new Error('There are no locks.');
      const value = `{"n":${written}}`;
      written += 1;
      const waiting = open.get(lock.key) ?? [];
      open.set(lock.key, waiting);
      // From before it is sent: the patch may be here before the answer is.
      waiting.push({ value, atMs: performance.now() });
      const one: Promise<void> = writeAs(plain, lock, value).then(() => void underWay.delete(one));
      underWay.add(one);
    }
    await pause(2);
  }
  await Promise.all(underWay);
  const elapsedMs = performance.now() - from.atMs;
  const busy = (weighed.cpuMs() - from.cpuMs) / elapsedMs;
  const inPatches = patches - from.patches;

  // Nothing is lost: what is shown in the end is what a fresh read says, row by row.
  const rows = await plain.json<{ Key: string; ModifyIndex: number }[]>(
    'GET',
    '/v1/kv/churn/?recurse&consistent',
  );
  const indexes = new Map(rows.map(({ Key, ModifyIndex }) => [Key, String(ModifyIndex)]));
  const signalboxHttp = plainHttp(signalbox.baseUrl);
  defer(signalboxHttp.close);
  const wrong = async () => {
    const snapshot = await signalboxHttp.json<{ locks: Lock[] }>('GET', '/api/v1/snapshot');
    const shown = snapshot.locks.filter(({ key }) => key.startsWith('churn/'));
    return locks.length - shown.filter(({ key, modifyIndex }) => indexes.get(key) === modifyIndex).length;
  };
  // Each write is shown by a patch, itself or by a later one of its key; one that never is stays among the ages.
  const unshown = () => [...open.values()].flat();
  await until(() => unshown().length === 0, { what: 'patches of all writes', timeoutMs: 10_000 }).catch(
    () => {},
  );
  const missed = unshown();
  const endMs = performance.now();
  for (const { atMs } of missed) ages.push(endMs - atMs);
  const lost = await until(async () => ((await wrong()) === 0 ? 'none' : null), {
    what: 'the state of a fresh read',
    timeoutMs: 10_000,
    everyMs: 250,
  }).catch(async () => String(await wrong()));
  say(
    `${name}: ${share(busy)}, ${Math.round((written / elapsedMs) * 1000)} writes/s, p99 ${ms(quantile(ages, 0.99))}`,
  );
  events.close();
  await signalbox.stop();
  await consul.stop();

  const told = { goal: null, met: null, ratio: null } as const;
  return [
    {
      what: `${name}: processor time of the server`,
      ours: share(busy),
      compared: share(idle),
      ratio: null,
      goal: `<= ${share(shareMax)}`,
      met: busy <= shareMax,
    },
    {
      what: `${name}: age of a change when it is seen, p99`,
      ours: ms(quantile(ages, 0.99)),
      compared: '-',
      ratio: null,
      goal: `<= ${ms(ageMaxMs)}`,
      met: quantile(ages, 0.99) <= ageMaxMs,
    },
    { ...told, what: `${name}: the same, median`, ours: ms(quantile(ages, 0.5)), compared: '-' },
    {
      what: `${name}: locks that differ from a fresh read at the end`,
      ours: lost,
      compared: '-',
      ratio: null,
      goal: 'none',
      met: lost === 'none',
    },
    {
      what: `${name}: writes that no patch has shown`,
      ours: missed.length === 0 ? 'none' : `${missed.length} of ${written}`,
      compared: '-',
      ratio: null,
      goal: 'none',
      met: missed.length === 0,
    },
    {
      ...told,
      what: `${name}: writes and patches a second`,
      ours: `${Math.round((written / elapsedMs) * 1000)} and ${Math.round((inPatches / elapsedMs) * 1000)}`,
      compared: '-',
    },
  ];
}

export const bench: Bench = {
  title: 'Churn: 500 writes a second under a watched prefix',
  about: `Values of held locks are written at ${perSecond} a second for ${churnMs / 1000} s, all over the rows, with one client of \`/api/v1/events\`. Processor time is of all threads of the server's process, garbage collection included, beside ${idleMs / 1000} s without writes. The age of a change runs from before its \`PUT\` is sent, so that Consul's own time for the write is in it, to the patch that shows it or a later value of the same lock. A write that no patch has shown ten seconds after the last one is counted, and its age is what it is by then.`,
  run: async (stage) => {
    const figures: Figure[] = [];
    for (const size of sizes) figures.push(...(await measure(size, stage)));
    return { compared: 'idle', figures };
  },
};
