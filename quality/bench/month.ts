/**
 * A month of many locks in each store: the time of a question, of a step of the retention, and of the board's column.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChangeQuery } from '@/lib/server/history/change-query';
import { createColumns } from '@/lib/server/history/columns';
import { createHistoryLog } from '@/lib/server/history/history-log';
import type { HistoryOf } from '@/lib/server/history/history-of';
import { createHistoryQuery } from '@/lib/server/history/history-query';
import { createPastQuery } from '@/lib/server/history/past-query';
import { createRetention } from '@/lib/server/history/retention';
import { createUsualQuery, usualMax } from '@/lib/server/history/usual-query';
import { openStore, type Store } from '@/lib/server/store/store';
import { claimPorts } from '@/scripts/ports.mjs';
import { findPostgres, startPostgres } from '@/scripts/postgres.mjs';
import { newDatabase } from '@/test/support/database';
import {
  type Bench,
  type BenchStage,
  bytes,
  type Figure,
  ms,
  noMoreThan,
  plainFigure,
  quantile,
} from './figure';
import { fillMonth, locks, monthDays, prefixNamed, subjectNamed, subjectOf } from './month-rows';

const dayMs = 24 * 60 * 60 * 1_000;
const asks = 200;
const answerMs = 100;
const columnMs = 150;
const visible = 200;
const steps = 100;

/** A random order, which defeats a cache. */
const some = (i: number) => (i * 4_001) % locks;

async function p95(count: number, ask: (n: number) => Promise<unknown>): Promise<number> {
  const samples: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const from = performance.now();
    await ask(i);
    samples.push(performance.now() - from);
  }
  return quantile(samples, 0.95);
}

const sizeOf = async ({ db }: Store) =>
  Number((await db.selectFrom('signalbox_history_size').select('bytes').executeTakeFirst())?.bytes ?? 0);

interface Answers {
  readonly calm: number;
  readonly hot: number;
  readonly month: number;
  readonly prefix: number;
  readonly all: number;
  readonly lost: number;
  readonly column: number;
  readonly lately: number;
  readonly longAgo: number;
  readonly changeOfAll: number;
  readonly changeOfPrefix: number;
  readonly changeOfOne: number;
  readonly usual: number;
  readonly aged: number;
  readonly shrunk: number;
  readonly rows: number;
  readonly counted: number;
}

async function measure(store: Store, nowMs: number): Promise<Answers> {
  const rows = await fillMonth(store, nowMs);
  const counted = (await sizeOf(store)) / rows;
  const { read, since } = createHistoryQuery({ store, days: monthDays, now: () => nowMs });
  const of = (n: number) => ({ by: 'subject', subject: subjectNamed(n) }) as const;
  const range = (days: number) => ({ fromMs: nowMs - days * dayMs, toMs: nowMs, limit: 1_000 });
  const spans = (n: number) =>
    ['lock', 'semaphore'].map((kind) => {
      const from = `${kind}:${prefixNamed(n)}`;
      return [from, `${from}\uffff`] as const;
    });
  const past = (days: number) =>
    createPastQuery(store).at(
      { by: 'source', sources: ['consul'] },
      { atMs: nowMs - days * dayMs, sources: ['consul'], limit: 5_000 },
    );
  /** Both sides of instants all over the month, its ends among them. */
  const change = (of: HistoryOf, i: number) =>
    createChangeQuery(store).changes(of, {
      atMs: nowMs - ((i % 25) / 24) * monthDays * dayMs,
      sources: ['consul'],
      keptSinceMs: nowMs - monthDays * dayMs,
      writtenUntilMs: nowMs,
      readable: null,
    });
  const answers = {
    calm: await p95(asks, (i) => read(of(some(i)), range(1))),
    hot: await p95(asks, (i) => read(of(i % 100), range(1))),
    month: await p95(asks, (i) => read(of(some(i)), range(monthDays))),
    prefix: await p95(50, (i) => read({ by: 'prefix', spans: spans(i) }, range(1))),
    all: await p95(20, () => read({ by: 'source', sources: ['consul'] }, range(1))),
    lost: await p95(50, (i) =>
      read({ by: 'prefix', spans: spans(i) }, { ...range(monthDays), ends: 'lost' }),
    ),
    column: await p95(50, (i) =>
      // A new instance each time, so that nothing is remembered.
      createColumns({ store, since, now: () => nowMs }).columns(
        Array.from({ length: visible }, (_, n) => subjectNamed((i * 97 + n) % locks)),
      ),
    ),
    lately: await p95(10, () => past(1 / 24)),
    longAgo: await p95(10, () => past(monthDays - 1)),
    changeOfAll: await p95(50, (i) => change({ by: 'source', sources: ['consul'] }, i)),
    changeOfPrefix: await p95(100, (i) => change({ by: 'prefix', spans: spans(i) }, i)),
    usual: await p95(20, (i) =>
      // A new instance each time, so that nothing is remembered.
      createUsualQuery({ store, now: () => nowMs }).usual(
        Array.from({ length: usualMax }, (_, n) => subjectOf((i * 97 + n * 13) % locks)),
      ),
    ),
    changeOfOne: await p95(asks, (i) => change(of(some(i)), i)),
  };
  const log = createHistoryLog({ store, writer: 'month', now: Date.now });
  await log.hold();
  const stepping = (over: { readonly bytes: number; readonly laterMs: number }) => {
    const retention = createRetention({
      log,
      days: monthDays,
      bytes: over.bytes,
      now: () => nowMs + over.laterMs,
    });
    return p95(steps, () => retention.step());
  };
  const aged = await stepping({ bytes: 1e12, laterMs: 2 * dayMs });
  // The bound is low enough to remove holds, but not hours.
  const shrunk = await stepping({ bytes: (await sizeOf(store)) * 0.9, laterMs: 0 });
  return { ...answers, aged, shrunk, rows, counted };
}

async function run({ say, defer }: BenchStage): Promise<Figure[]> {
  const nowMs = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-month-'));
  defer(() => rmSync(folder, { recursive: true, force: true }));
  const sqlite = openStore({ folder });
  defer(() => sqlite.close());
  say('a month in SQLite');
  const ours = await measure(sqlite, nowMs);
  const onDisk = statSync(join(folder, 'signalbox.db')).size / ours.rows;
  let other: Answers | null = null;
  let otherOnDisk: number | null = null;
  if ((await findPostgres()) !== null) {
    const block = await claimPorts(1);
    const server = await startPostgres({ port: block.ports[0] ?? 0 });
    defer(() => server.stop().then(() => block.release()));
    const postgres = openStore({ postgres: await newDatabase(server) });
    defer(() => postgres.close());
    say('and in Postgres');
    other = await measure(postgres, nowMs);
    otherOnDisk = await postgresSize(postgres).then((size) => size / ours.rows);
  }
  say(`${ours.rows.toLocaleString('en')} rows`);
  const asked = (what: string, key: keyof Answers, max: number) =>
    noMoreThan(`${what}, 95th percentile`, {
      ours: ours[key],
      compared: other?.[key] ?? null,
      show: ms,
      max,
    });
  const plain = (what: string, key: keyof Answers) =>
    plainFigure(`${what}, 95th percentile`, { ours: ours[key], compared: other?.[key] ?? null, show: ms });
  return [
    asked('a timeline of 24 h', 'calm', answerMs),
    asked('a timeline of 24 h of a hot lock', 'hot', answerMs),
    asked('a timeline of 30 days', 'month', answerMs),
    asked('all of 100 locks below one prefix, 24 h', 'prefix', answerMs),
    plain('the newest 1,000 of everything, 24 h', 'all'),
    asked(`what was lost of 100 locks below one prefix, ${monthDays} days`, 'lost', answerMs),
    asked(`the last hour of ${visible} locks`, 'column', columnMs),
    plain('all as it was an hour ago', 'lately'),
    plain(`all as it was ${monthDays - 1} days ago`, 'longAgo'),
    asked('the changes before and after an instant, of everything', 'changeOfAll', answerMs),
    asked('the same of 100 locks below one prefix', 'changeOfPrefix', answerMs),
    asked('the same of one lock', 'changeOfOne', answerMs),
    plain(`how long holds of ${usualMax} locks usually last, asked for the first time`, 'usual'),
    plain('one step of the retention, 200 rows into hours', 'aged'),
    plain('one step beyond the bound in bytes, 200 rows into hours', 'shrunk'),
    plainFigure('one row on disk, with its indexes', { ours: onDisk, compared: otherOnDisk, show: bytes }),
    plainFigure('one row as the bound counts it', {
      ours: ours.counted,
      compared: other?.counted ?? null,
      show: bytes,
    }),
  ];
}

async function postgresSize({ db }: Store): Promise<number> {
  const { sql } = await import('kysely');
  const { rows } = await sql
    .raw<{ size: string }>('select pg_database_size(current_database()) as size')
    .execute(db);
  return Number(rows[0]?.size ?? 0);
}

export const bench: Bench = {
  title: 'A month of history',
  about: `${locks.toLocaleString('en')} locks as a recorder leaves ${monthDays} days of them, in SQLite ("Signalbox") and in Postgres: 9,000 with one hold a day, 900 with twelve (200 of them semaphores with a queue), and 100 hot ones, whose 4,000 short holds an hour are folded. Questions are asked of the store's own functions, one after the other, over locks in a scattered order.`,
  excluded: 'filling the stores',
  run: async (stage) => ({ compared: 'Postgres', figures: await run(stage) }),
};
