/** The history: a month of many locks in each store, and what recording costs beside the live path. */
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hold } from '@/lib/domain/history/episode';
import { pause } from '@/lib/providers/consul/client/clock';
import { createColumns } from '@/lib/server/history/columns';
import { openHistory } from '@/lib/server/history/history';
import { createHistoryQuery } from '@/lib/server/history/history-query';
import { createPastQuery } from '@/lib/server/history/past-query';
import { valuesOf } from '@/lib/server/history/rows';
import { openStore, type Store } from '@/lib/server/store/store';
import { claimPorts } from '@/scripts/ports.mjs';
import { findPostgres, startPostgres } from '@/scripts/postgres.mjs';
import { inProject } from '@/scripts/project.mjs';
import { startConsul } from '@/test/support/consul';
import { newDatabase } from '@/test/support/database';
import { openDesk } from '@/test/support/desk';
import {
  atMost,
  type Bench,
  type BenchStage,
  bytes,
  type Figure,
  ms,
  noMoreThan,
  plainFigure,
  quantile,
} from './figure';

const locks = 10_000;
/** Of each lock in the month. */
const holds = Number(process.env.SIGNALBOX_BENCH_HOLDS ?? 50);
const dayMs = 24 * 60 * 60 * 1_000;
const monthMs = 30 * dayMs;
const asks = 200;
const rowsOnScreen = 60;
const answerMs = 100;
const perSecond = 500;
const windowMs = 6_000;
const windows = 8;
const costMax = 1.1;

const nameOf = (n: number) => `team-${n % 100}/service-${Math.floor(n / 100)}/lock`;

function hold(n: number, i: number, fromMs: number): Hold {
  const everyMs = monthMs / holds;
  const atMs = fromMs + Math.floor(i * everyMs + ((n * 7_919) % everyMs));
  const id = `${String(n).padStart(8, '0')}-0000-4000-8000-${String(i).padStart(12, '0')}`;
  return {
    id,
    subject: { source: 'consul', kind: 'lock', key: nameOf(n) },
    who: { id, label: `worker-${n % 50}`, name: `worker-${n % 50}`, node: `node-${n % 20}` },
    mode: null,
    from: { atMs, basis: 'observed' },
    to: { atMs: atMs + 1_000 + ((n * i) % 600_000), basis: 'observed' },
    end: 'released',
    deed: null,
    verdicts: [{ verdict: 'alive', atMs }],
    waitersMax: null,
    delayMs: null,
    token: String(i),
  };
}

async function fill({ db, migrate }: Store, fromMs: number): Promise<void> {
  await migrate();
  // In the order of time, as a recorder writes.
  for (let i = 0; i < holds; i += 1)
    for (let at = 0; at < locks; at += 1_000)
      await db.transaction().execute(async (inOne) => {
        for (let part = at; part < at + 1_000; part += 100) {
          const rows = Array.from({ length: 100 }, (_, k) => hold(part + k, i, fromMs));
          await inOne
            .insertInto('signalbox_history_holds')
            .values(rows.map((row) => valuesOf({ kind: 'hold', row })) as never)
            .execute();
        }
      });
}

async function times(ask: (n: number) => Promise<unknown>, count = asks): Promise<number> {
  const samples: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const from = performance.now();
    await ask((i * 4_001) % locks);
    samples.push(performance.now() - from);
  }
  return quantile(samples, 0.95);
}

async function asked(store: Store, nowMs: number) {
  const { read, since } = createHistoryQuery({ store, days: 30, now: Date.now });
  const of = (n: number) => ({ by: 'subject', subject: `lock:${nameOf(n)}` }) as const;
  const prefix = (n: number) => {
    const text = `lock:team-${n % 100}/`;
    const to = `${text}\uffff`;
    return { by: 'prefix', spans: [[text, to]] } as const;
  };
  const past = (days: number) => () =>
    createPastQuery(store).at(
      { by: 'source', sources: ['consul'] },
      { atMs: nowMs - days * dayMs, sources: ['consul'], limit: 5_000 },
    );
  const range = (days: number) => ({ fromMs: nowMs - days * dayMs, toMs: nowMs, limit: 1_000 });
  return {
    'a timeline of a lock, 24 h': await times((n) => read(of(n), range(1))),
    'a timeline of a lock, 30 days': await times((n) => read(of(n), range(30))),
    'all of 100 locks below one prefix, 24 h': await times((n) => read(prefix(n), range(1)), 50),
    'since when it is kept': await times(() => since(), 50),
    'the last hour of 60 rows': await times(
      (n) =>
        // Nothing is remembered from one to the next.
        createColumns({ store, since, now: Date.now }).columns(
          Array.from({ length: rowsOnScreen }, (_, i) => `lock:${nameOf((n + i) % locks)}`),
        ),
      50,
    ),
    'all as it was an hour ago': await times(past(1 / 24), 10),
    'all as it was 15 days ago': await times(past(15), 10),
    'all as it was 29 days ago': await times(past(29), 10),
  };
}

async function month({ say, defer }: BenchStage): Promise<Figure[]> {
  const nowMs = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-month-'));
  defer(() => rmSync(folder, { recursive: true, force: true }));
  const sqlite = openStore({ folder });
  defer(() => sqlite.close());
  say(`writing ${(locks * holds).toLocaleString('en')} holds into SQLite`);
  await fill(sqlite, nowMs - monthMs);
  const inSqlite = await asked(sqlite, nowMs);
  let inPostgres: typeof inSqlite | null = null;
  if ((await findPostgres()) !== null) {
    const block = await claimPorts(1);
    const server = await startPostgres({ port: block.ports[0] ?? 0 });
    defer(() => server.stop().then(() => block.release()));
    const postgres = openStore({ postgres: await newDatabase(server) });
    defer(() => postgres.close());
    say('and into Postgres');
    await fill(postgres, nowMs - monthMs);
    inPostgres = await asked(postgres, nowMs);
  }
  const size = statSync(join(folder, 'signalbox.db')).size / (locks * holds);
  return [
    ...Object.entries(inSqlite).map(([what, ours]) =>
      noMoreThan(`${what}, 95th percentile`, {
        ours,
        compared: inPostgres?.[what as keyof typeof inSqlite] ?? null,
        show: ms,
        max: answerMs,
      }),
    ),
    plainFigure('one hold on disk, with its indexes', { ours: size, compared: null, show: bytes }),
  ];
}

/** Processor time of this process over windows with and without a recorder, in turns. */
async function beside({ say, defer }: BenchStage): Promise<Figure> {
  const consul = await startConsul();
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-beside-'));
  defer(() => rmSync(folder, { recursive: true, force: true }));
  const store = openStore({ folder });
  defer(() => store.close());
  const desk = openDesk({ consul: consul.address, store });
  defer(() => desk.close());
  const { unsubscribe } = follow(desk);
  defer(unsubscribe);
  const writes = fork(inProject('quality/bench/history-writes.mjs'), {
    env: { ...process.env, CONSUL: consul.address, PER_SECOND: String(perSecond) },
  });
  defer(() => writes.kill());
  const made = () =>
    new Promise<number>((resolve) => {
      writes.once('message', (n) => resolve(Number(n)));
      writes.send('made');
    });
  await pause(4_000);
  const spent = { on: 0, off: 0 };
  const changes = { on: 0, off: 0 };
  for (let i = 0; i < windows; i += 1) {
    const kind = i % 2 === 0 ? 'off' : 'on';
    const history = openHistory({
      on: kind === 'on',
      days: 30,
      store,
      writer: `window-${i}`,
      hub: desk.hub,
      audit: desk.audit,
      now: Date.now,
      log: { warn: () => {}, info: () => {} },
    });
    await pause(1_500);
    const before = await made();
    const from = process.cpuUsage();
    await pause(windowMs);
    const { user, system } = process.cpuUsage(from);
    spent[kind] += (user + system) / 1_000;
    changes[kind] += (await made()) - before;
    await history.close();
    say(`${kind}: ${Math.round((user + system) / 1_000)} ms`);
  }
  const each = (kind: 'on' | 'off') => (spent[kind] / Math.max(1, changes[kind])) * 1_000;
  const rate = Math.round((changes.on + changes.off) / ((windows * windowMs) / 1_000));
  return atMost(`processor time of 1,000 changes, at ${rate} changes a second`, {
    ours: each('on'),
    compared: each('off'),
    show: ms,
    max: costMax,
  });
}

/** One viewer, so that each step is made. */
function follow({ hub }: Pick<ReturnType<typeof openDesk>, 'hub'>) {
  const { leave } = hub.subscribe({ step: () => {}, closed: () => {} }, null);
  return { unsubscribe: leave };
}

export const bench: Bench = {
  title: 'The history of a month, and what recording costs',
  about: `${locks.toLocaleString('en')} locks with ${holds} holds each in 30 days, in SQLite ("Signalbox") and in Postgres. Then ${windows} windows of ${windowMs / 1_000} s over a real Consul of 500 locks that are taken and released, with and without a recorder in turns: processor time of watching, recognising, finding and publishing, for each change.`,
  excluded: 'filling the stores; the first four seconds of the changes',
  run: async (stage) => ({
    compared: 'Postgres; without a recorder',
    figures: [...(await month(stage)), await beside(stage)],
  }),
};
