/** The cost of recording beside the live path: processor time of a change, and the delay until it shows. */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '@/lib/providers/consul/client/clock';
import { openHistory } from '@/lib/server/history/history';
import { openStore } from '@/lib/server/store/store';
import { inProject } from '@/scripts/project.mjs';
import { startConsul } from '@/test/support/consul';
import { openDesk } from '@/test/support/desk';
import { atMost, type Bench, type BenchStage, type Figure, ms, plainFigure, quantile } from './figure';

const perSecond = 500;
/** Pairs with and without a recorder, in alternating order, so that other load on the machine hits both alike. */
const worlds = [
  { what: 'ordinary locks', session: { TTL: '3600s' }, pairs: 20 },
  // Each hold is also three findings: it never ends on its own, has no lock-delay, and leaves its session behind.
  { what: 'locks with findings', session: { LockDelay: '0s' }, pairs: 8 },
] as const;
type World = (typeof worlds)[number];
/** Several writes of a busy recorder, which come every three seconds. */
const windowMs = 6_000;
const restMs = 1_000;
const beatMs = 60;
const costMax = 1.1;
/** Recording should add nothing. Two equal runs differ by up to this. */
const lateMax = 1.1;
const flags = '3304740253564472344';

type Kind = 'on' | 'off';

interface Window {
  /** Milliseconds of processor time for 1,000 changes. */
  readonly cost: number;
  readonly changes: number;
  /** The times from the answer to a write to the step that shows it. */
  readonly lateMs: readonly number[];
}

async function windows(
  { what, session: settings, pairs }: World,
  { say, defer }: BenchStage,
): Promise<Record<Kind, Window[]>> {
  const consul = await startConsul();
  const client = consul.client();
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-beside-'));
  defer(() => rmSync(folder, { recursive: true, force: true }));
  const store = openStore({ folder });
  defer(() => store.close());
  const desk = openDesk({ consul: consul.address, store });
  defer(() => desk.close());
  /** The value to wait for in a lock of this benchmark, and its callback. */
  let awaited: { readonly value: string; readonly seen: () => void } | null = null;
  const key = 'beat/lock';
  const { leave } = desk.hub.subscribe(
    {
      step: (_step, { locks }) => {
        if (awaited === null) return;
        const lock = locks.find((one) => one.key === key);
        if (lock?.value?.content === awaited.value) awaited.seen();
      },
      closed: () => {},
    },
    null,
  );
  defer(leave);
  const writes = fork(inProject('quality/bench/history-writes.mjs'), {
    env: {
      ...process.env,
      CONSUL: consul.address,
      PER_SECOND: String(perSecond),
      SESSION: JSON.stringify(settings),
    },
  });
  defer(() => writes.kill());
  const made = () =>
    new Promise<number>((resolve) => {
      writes.once('message', (n) => resolve(Number(n)));
      writes.send('made');
    });
  const session = await client.createSession({
    name: 'beat',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  let beats = 0;
  const beat = async (): Promise<number> => {
    beats += 1;
    const value = `beat ${beats}`;
    let seenMs: number | null = null;
    const seen = new Promise<void>((resolve) => {
      awaited = {
        value,
        seen: () => {
          seenMs ??= performance.now();
          resolve();
        },
      };
    });
    await client.acquire({ key, value: Buffer.from(value), flags, session });
    const wroteMs = performance.now();
    await Promise.race([seen, pause(2_000)]);
    awaited = null;
    return Math.max(0, (seenMs ?? performance.now()) - wroteMs);
  };
  await pause(4_000);
  const found: Record<Kind, Window[]> = { on: [], off: [] };
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const kind of pair % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const)) {
      const history = openHistory({
        on: kind === 'on',
        days: 30,
        bytes: 1e9,
        store,
        writer: `window-${pair}`,
        hub: desk.hub,
        audit: desk.audit,
        now: Date.now,
        log: { warn: () => {}, info: () => {} },
      });
      await pause(restMs);
      const lateMs: number[] = [];
      const before = await made();
      const untilMs = performance.now() + windowMs;
      const from = process.cpuUsage();
      while (performance.now() < untilMs) {
        lateMs.push(await beat());
        await pause(beatMs);
      }
      const { user, system } = process.cpuUsage(from);
      const changes = (await made()) - before + lateMs.length;
      await history.close();
      found[kind].push({ cost: (user + system) / Math.max(1, changes), changes, lateMs });
    }
    if (pair % 5 === 4) say(`${what}: ${pair + 1} of ${pairs} pairs`);
  }
  return found;
}

function figures(
  { what: locks }: World,
  { on, off }: Record<Kind, Window[]>,
): { figures: Figure[]; notes: string[] } {
  const ratios = on.map((one, i) => one.cost / (off[i]?.cost ?? Number.NaN));
  const mean = (list: readonly number[]) => list.reduce((sum, one) => sum + one, 0) / list.length;
  const ratio = mean(ratios);
  const error = Math.sqrt(mean(ratios.map((one) => (one - ratio) ** 2)) / Math.max(1, ratios.length - 1));
  const all = [...on, ...off];
  const rate = Math.round((mean(all.map(({ changes }) => changes)) / windowMs) * 1_000);
  const late = (of: readonly Window[], q: number) =>
    quantile(
      of.flatMap(({ lateMs }) => lateMs),
      q,
    );
  const shown = (what: string, q: number) =>
    plainFigure(what, { ours: late(on, q), compared: late(off, q), show: ms });
  const cost = atMost(`${locks}: processor time of 1,000 changes, at ${rate} changes a second`, {
    ours: mean(on.map((one) => one.cost)),
    compared: mean(off.map((one) => one.cost)),
    show: ms,
    max: costMax,
  });
  return {
    figures: [
      { ...cost, ratioError: error },
      shown(`${locks}: from the answer of a write to the step that shows it, median`, 0.5),
      atMost(`${locks}: the same, p99`, {
        ours: late(on, 0.99),
        compared: late(off, 0.99),
        show: ms,
        max: lateMax,
      }),
    ],
    notes: [
      `${locks}: the mean of ${ratios.length} ratios of a window to the one beside it: ${ratio.toFixed(3)} ± ${error.toFixed(3)}.`,
    ],
  };
}

export const bench: Bench = {
  title: 'What recording costs',
  about: `Pairs of windows of ${windowMs / 1_000} s over a real Consul of 500 locks that are taken and released, one with a recorder on SQLite and one without, the order by turns: processor time of watching, recognising, finding and publishing, for each change. Meanwhile a lock of its own is written, and its step awaited, some ten times a second. Once with sessions as clients have them, and once with sessions that have neither a TTL nor a lock-delay: then each hold is three findings as well, which open and clear with it.`,
  excluded: 'The first four seconds of each world, and one second after each turn.',
  run: async (stage) => {
    const found = [];
    for (const world of worlds) {
      const ends: (() => unknown)[] = [];
      try {
        found.push(figures(world, await windows(world, { ...stage, defer: (end) => void ends.push(end) })));
      } finally {
        // Ends everything, so that the next world has the machine to itself.
        for (const end of ends.reverse()) await end();
      }
    }
    return {
      compared: 'without a recorder',
      figures: found.flatMap((one) => one.figures),
      notes: found.flatMap((one) => one.notes),
    };
  },
};
