/** Many writes a second under a watched prefix. */

import type { Lock, Semaphore } from '@/lib/domain/model';
import { pause } from '@/lib/providers/consul/client/clock';
import { startConsul } from '@/test/support/consul';
import { startServer } from '@/test/support/server';
import { until } from '@/test/support/until';
import { type Entry, type Kind, kinds, subjectsOf, write } from './churn-writes';
import { crowd } from './crowd';
import { openEvents } from './events';
import { type Bench, type BenchStage, type Figure, ms, noMoreThan, plainFigure, quantile } from './figure';
import { type Plain, plainHttp } from './plain';
import { createSightings } from './sightings';
import { createScales } from './weighed';

const sizes = [1_000, 10_000];
const perSecond = 500;
const churnMs = 60_000;
const settleMs = 2_000;
const idleMs = 5_000;
/** As many as the Consul agent bears: a late writer catches up. */
const writersMax = 16;
const shareMax = 0.4;
const ageMaxMs = 1_000;
/** The kinds of four writes in a row. */
const turn: readonly Kind[] = [
  'value of a lock',
  'holder of a lock',
  'value of a lock',
  'holder of a semaphore',
];

const share = (part: number) => `${(part * 100).toFixed(0)} % of a core`;
const count = (value: number) => (value === 0 ? 'none' : String(value));

/** The number of locks and semaphores whose index or holders differ from a fresh read. */
async function differing(plain: Plain, signalbox: Plain): Promise<number> {
  const [rows, snapshot] = await Promise.all([
    plain.json<Entry[]>('GET', '/v1/kv/churn/?recurse&consistent'),
    signalbox.json<{ locks: Lock[]; semaphores: Semaphore[] }>('GET', '/api/v1/snapshot'),
  ]);
  const shown = new Map<string, string>();
  for (const { key, modifyIndex, holder } of snapshot.locks)
    shown.set(key, `${modifyIndex} ${holder?.sessionId}`);
  for (const { prefix, modifyIndex, holders } of snapshot.semaphores)
    shown.set(`${prefix}/.lock`, `${modifyIndex} ${holders.map(({ sessionId }) => sessionId).sort()}`);
  const holdersOf = ({ Key, Value, Session }: Entry) =>
    /pool-\d+\/\.lock$/.test(Key)
      ? Object.keys(JSON.parse(Buffer.from(Value ?? '', 'base64').toString('utf8')).Holders).sort()
      : Session;
  return rows
    .filter(({ Key }) => Key.endsWith('/.lock'))
    .filter((row) => shown.get(row.Key) !== `${row.ModifyIndex} ${holdersOf(row)}`).length;
}

async function measure(size: number, { defer, say }: BenchStage): Promise<Figure[]> {
  const name = `${size.toLocaleString('en')} rows`;
  const consul = await startConsul();
  const plain = plainHttp(consul.address);
  defer(plain.close);
  const { locks } = await crowd(plain, 'churn/', size);
  const subjects = await subjectsOf(plain, 'churn/', locks);
  const scales = createScales();
  defer(scales.remove);
  const signalbox = await startServer({ consulAddress: consul.address, env: { ...scales.env } });
  defer(signalbox.stop);
  const signalboxHttp = plainHttp(signalbox.baseUrl);
  defer(signalboxHttp.close);
  const weighed = scales.process();

  const sightings = createSightings();
  const ages = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
  let patches = 0;
  const events = await openEvents(signalbox.baseUrl, ({ event, data, atMs }) => {
    if (event !== 'patch') return;
    patches += 1;
    sightings.onPatch(JSON.parse(data), atMs);
  });

  await pause(settleMs);
  const idleFrom = { cpuMs: weighed.cpuMs(), atMs: performance.now() };
  await pause(idleMs);
  const idle = (weighed.cpuMs() - idleFrom.cpuMs) / (performance.now() - idleFrom.atMs);

  const from = { cpuMs: weighed.cpuMs(), atMs: performance.now(), patches };
  let written = 0;
  const underWay = new Set<Promise<void>>();
  const busy = new Set<string>();
  const begin = (n: number) => {
    const kind = turn[n % turn.length] ?? 'value of a lock';
    const of = subjects[kind];
    // An entry with a write under way is skipped, because two writes would overtake each other.
    let at = n * 7919;
    while (busy.has(of[at % of.length]?.name ?? '')) at += 1;
    const subject = of[at % of.length];
    if (subject === undefined) throw new Error(`There is no ${kind}.`);
    busy.add(subject.name);
    const sentMs = performance.now();
    const one: Promise<void> = write(plain, subject.next(kind, n)).then((index) => {
      busy.delete(subject.name);
      underWay.delete(one);
      const seen = (atMs: number) => void ages.get(kind)?.push(Math.max(0, atMs - sentMs));
      sightings.written({ name: subject.name, index, sentMs }, seen);
    });
    underWay.add(one);
  };
  while (performance.now() - from.atMs < churnMs) {
    const due = ((performance.now() - from.atMs) / 1000) * perSecond;
    while (written < due && underWay.size < writersMax) {
      begin(written);
      written += 1;
    }
    await pause(2);
  }
  await Promise.all(underWay);
  const elapsedMs = performance.now() - from.atMs;
  const used = (weighed.cpuMs() - from.cpuMs) / elapsedMs;
  const inPatches = patches - from.patches;

  // A patch shows each write, or a later one to the same name. A write that never shows stays among the ages.
  await until(() => sightings.unseen().length === 0, {
    what: 'patches of all writes',
    timeoutMs: 10_000,
  }).catch(() => {});
  const missed = sightings.unseen();
  const endMs = performance.now();
  const all = [...ages.values()].flat().concat(missed.map(({ sentMs }) => endMs - sentMs));
  // Nothing is lost: the final view equals a fresh read, row by row.
  const lost = await until(async () => ((await differing(plain, signalboxHttp)) === 0 ? 0 : null), {
    what: 'the state of a fresh read',
    timeoutMs: 10_000,
    everyMs: 250,
  }).catch(() => differing(plain, signalboxHttp));
  const rate = (total: number) => Math.round((total / elapsedMs) * 1000);
  say(`${name}: ${share(used)}, ${rate(written)} writes/s, p99 ${ms(quantile(all, 0.99))}`);
  events.close();
  await signalbox.stop();
  await consul.stop();

  const alone = { compared: null, show: ms };
  return [
    noMoreThan(`${name}: processor time of the server`, {
      ours: used,
      compared: idle,
      max: shareMax,
      show: share,
    }),
    noMoreThan(`${name}: age of a change when it is seen, p99`, {
      ...alone,
      ours: quantile(all, 0.99),
      max: ageMaxMs,
    }),
    plainFigure(`${name}: the same, median`, { ...alone, ours: quantile(all, 0.5) }),
    ...kinds.map((kind) =>
      plainFigure(`${name}: the same of the ${kind}, p99`, {
        ...alone,
        ours: quantile(ages.get(kind) ?? [], 0.99),
      }),
    ),
    noMoreThan(`${name}: locks and semaphores that differ from a fresh read at the end`, {
      ours: lost,
      compared: null,
      max: 0,
      show: count,
      text: 'none',
    }),
    noMoreThan(`${name}: writes of ${written.toLocaleString('en')} that no patch has shown`, {
      ours: missed.length,
      compared: null,
      max: 0,
      show: count,
      text: 'none',
    }),
    plainFigure(`${name}: writes a second`, { ours: rate(written), compared: null, show: String }),
    plainFigure(`${name}: patches a second`, { ours: rate(inPatches), compared: null, show: String }),
  ];
}

export const bench: Bench = {
  title: 'Churn: 500 writes a second under a watched prefix',
  about: `${perSecond} writes a second for ${churnMs / 1000} s, all over the rows, with one client of \`/api/v1/events\`. Each write is one transaction. Of four, two change the value of a held lock, one hands a lock from its holder to another session, one hands a slot of a semaphore to a waiter. Processor time is of all threads of the server's process, garbage collection included, beside ${idleMs / 1000} s without writes. The age of a change runs from before its write is sent, so that Consul's own time is in it, to the first patch that shows the index of that write or a later one of the same entry. A write that no patch has shown ten seconds after the last one is counted, and its age is what it is by then. At the end every index and every holder is compared with a fresh read.`,
  excluded: `${settleMs / 1000} s after the first snapshot. Nothing of the writes: the first one counts.`,
  run: async (stage) => {
    const figures: Figure[] = [];
    for (const size of sizes) figures.push(...(await measure(size, stage)));
    return { compared: 'idle', figures };
  },
};
