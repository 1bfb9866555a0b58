/**
 * A month of 10,000 locks as a recorder leaves it: the hot ones' short holds folded into hours, all others one by one.
 * Rows come in the order of time, through the store's own writers.
 */
import type { HistoryRow, Hold, Wait } from '@/lib/domain/history/episode';
import { emptyHour, hourLengthMs, withHold } from '@/lib/domain/history/hour-book';
import { createHistoryLog } from '@/lib/server/history/history-log';
import { writeHours } from '@/lib/server/history/hours';
import type { Store } from '@/lib/server/store/store';

const dayMs = 24 * hourLengthMs;
export const monthDays = Number(process.env.SIGNALBOX_BENCH_DAYS ?? 30);
export const locks = 10_000;

/** The number of locks of each kind, and the holds that each keeps a day. A hot lock also has hours. */
const kinds = [
  { name: 'hot', count: 100, aDay: 3 },
  { name: 'busy', count: 900, aDay: 12 },
  { name: 'calm', count: 9_000, aDay: 1 },
] as const;
const hot = kinds[0].count;
/** Holds of a hot lock that are folded into each hour. */
const foldedAnHour = 4_000;
/** The first of the busy ones are semaphores with a queue. */
const semaphores = 200;
const batchRows = 500;

const kindOf = (n: number) => (n < hot ? kinds[0] : n < hot + kinds[1].count ? kinds[1] : kinds[2]);
const isSemaphore = (n: number) => n >= hot && n < hot + semaphores;
const nameOf = (n: number) => `team-${n % 100}/service-${Math.floor(n / 100)}/lock`;
export const subjectOf = (n: number) =>
  isSemaphore(n)
    ? ({ source: 'consul', kind: 'semaphore', prefix: nameOf(n) } as const)
    : ({ source: 'consul', kind: 'lock', key: nameOf(n) } as const);

/** The `subjectId` of a lock. */
export const subjectNamed = (n: number) => `${isSemaphore(n) ? 'semaphore' : 'lock'}:${nameOf(n)}`;
export const prefixNamed = (n: number) => `team-${n % 100}/`;

function hold(n: number, i: number, atMs: number): Hold {
  const session = `${String(n).padStart(8, '0')}-0000-4000-8000-${String(i).padStart(12, '0')}`;
  const worker = `worker-${n % 50}`;
  return {
    id: `${session}-h`,
    subject: subjectOf(n),
    who: { id: session, label: worker, name: worker, node: `node-${n % 20}` },
    mode: null,
    from: { atMs, basis: 'observed' },
    to: { atMs: atMs + 1_000 + ((n * 7 + i * 13) % 600_000), basis: 'observed' },
    end: i % 40 === 0 ? 'session-ended' : 'released',
    deed: null,
    verdicts: [
      { verdict: 'alive', atMs },
      ...(i % 40 === 0 ? [{ verdict: 'suspect' as const, atMs: atMs + 500 }] : []),
    ],
    waitersMax: isSemaphore(n) ? 1 : null,
    delayMs: null,
    token: isSemaphore(n) ? null : String(i + 1),
  };
}

const waitOf = ({ id, subject, who, from }: Hold): Wait => ({
  id: `${id}-w`,
  subject,
  who,
  from: { atMs: from.atMs - 20_000, basis: 'observed' },
  to: from,
  end: 'got-in',
  deed: null,
});

/** The rows of one day, in the order of time. */
function day(number: number, fromMs: number): HistoryRow[] {
  const rows: { readonly atMs: number; readonly row: HistoryRow }[] = [];
  for (let n = 0; n < locks; n += 1) {
    const { aDay } = kindOf(n);
    for (let i = 0; i < aDay; i += 1) {
      const atMs = fromMs + Math.floor((i * dayMs) / aDay) + ((n * 7_919) % Math.floor(dayMs / aDay));
      const row = hold(n, number * aDay + i, atMs);
      rows.push({ atMs, row: { kind: 'hold', row } });
      if (isSemaphore(n)) rows.push({ atMs, row: { kind: 'wait', row: waitOf(row) } });
    }
  }
  return rows.sort((a, b) => a.atMs - b.atMs).map(({ row }) => row);
}

/** Made once, because each hour has the same spread of lengths. */
function folded() {
  let hour = emptyHour(subjectOf(0), 0);
  for (let i = 0; i < foldedAnHour; i += 1) hour = withHold(hour, short(i));
  return hour;
}
const short = (i: number): Hold => ({
  ...hold(0, 1, 0),
  to: { atMs: 5 + ((i * 37) % 9_000), basis: 'observed' },
});

/** Writes the month, and returns the number of rows. `untilMs`: its end. */
export async function fillMonth(store: Store, untilMs: number): Promise<number> {
  const log = createHistoryLog({ store, writer: 'month', now: Date.now });
  await log.hold();
  const fromMs = Math.floor(untilMs / hourLengthMs) * hourLengthMs - monthDays * dayMs;
  const hours = folded();
  let written = 0;
  for (let d = 0; d < monthDays; d += 1) {
    const rows = day(d, fromMs + d * dayMs);
    for (let at = 0; at < rows.length; at += batchRows)
      await log.write(rows.slice(at, at + batchRows), at === 0 ? fromMs + d * dayMs : null);
    await log.tidy(async (db) => {
      for (let h = 0; h < 24; h += 1) {
        const hourMs = fromMs + d * dayMs + h * hourLengthMs;
        await writeHours(
          db,
          Array.from({ length: hot }, (_, n) => ({ ...hours, subject: subjectOf(n), hourMs })),
        );
      }
    });
    written += rows.length + hot * 24;
  }
  return written;
}
