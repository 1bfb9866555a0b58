/**
 * Reads lost holds and waits, and none that were released. Pages follow an index, because the embedded store answers on
 * the event loop.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type SqlBool, sql } from 'kysely';
import { lostIn } from '@/lib/server/store/history-lost';
import type { Store } from '@/lib/server/store/store';
import { covers, type HistoryOf, type HistoryRange, isOf } from './history-of';

export interface LostRead {
  /** Latest end first, with one row beyond the limit if there are more. */
  readonly rows: readonly { readonly body: string }[];
  /** The search stopped before older rows. */
  readonly cut: boolean;
}

interface Named {
  readonly id: string;
  readonly to_ms: number | string | null;
}

const pageRows = 1_000;
/** Most names that are read. Beyond them, other subjects have too many lost rows. */
const seenMax = 100_000;
/** Below this number, the lost rows of a prefix are found by name. */
const fewRows = 5_000;
const bodiesAtOnce = 500;

export async function readLost(
  { db }: Pick<Store, 'db'>,
  table: keyof typeof lostIn,
  of: HistoryOf,
  { fromMs, toMs, limit }: HistoryRange,
): Promise<LostRead> {
  const everLost = () =>
    db
      // Both tables have these columns, but TypeScript cannot infer them from the name.
      .selectFrom(table as 'signalbox_history_holds')
      .where(sql.raw<SqlBool>(lostIn[table]));
  const lost = () => everLost().where('to_ms', '>=', fromMs).where('to_ms', '<=', toMs);

  const bodiesOf = async (found: readonly Named[]) => {
    const newest = [...found].sort((a, b) => Number(b.to_ms) - Number(a.to_ms)).slice(0, limit + 1);
    const bodies = new Map<string, string>();
    for (let at = 0; at < newest.length; at += bodiesAtOnce) {
      const ids = newest.slice(at, at + bodiesAtOnce).map(({ id }) => id);
      const rows = await db
        .selectFrom(table as 'signalbox_history_holds')
        .select(['id', 'body'])
        .where('id', 'in', ids)
        .execute();
      for (const { id, body } of rows) bodies.set(id, body);
      await yieldToEventLoop();
    }
    return newest.flatMap(({ id }) => {
      const body = bodies.get(id);
      return body === undefined ? [] : [{ body }];
    });
  };

  /** `null`: these names have too many lost rows of any time. */
  const byName = async (spans: readonly (readonly [from: string, to: string])[]) => {
    const found: Named[] = [];
    for (const span of spans) {
      const rows = await everLost()
        .select(['id', 'to_ms'])
        .where((where) => isOf(where, { by: 'prefix', spans: [span] }))
        .limit(fewRows - found.length)
        .execute();
      found.push(...rows);
      if (found.length >= fewRows) return null;
    }
    return found.filter(({ to_ms }) => Number(to_ms) >= fromMs && Number(to_ms) <= toMs);
  };

  /** Reads the newest lost rows of all names first. */
  const byTime = async (
    asked: Extract<HistoryOf, { readonly by: 'prefix' | 'source' }>,
  ): Promise<LostRead> => {
    const found: Named[] = [];
    let before: readonly [toMs: number, id: string] = [toMs + 1, ''];
    for (let seen = 0; seen < seenMax; seen += pageRows) {
      const rows = await lost()
        .select(['id', 'source', 'subject', 'to_ms'])
        .where('to_ms', '<=', before[0])
        .where(sql<SqlBool>`(to_ms, id) < (${before[0]}, ${before[1]})`)
        .orderBy('to_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(pageRows)
        .execute();
      found.push(...rows.filter((row) => covers(asked, row)));
      const last = rows.at(-1);
      if (found.length > limit || last === undefined || rows.length < pageRows)
        return { rows: await bodiesOf(found), cut: false };
      before = [Number(last.to_ms), last.id];
      await yieldToEventLoop();
    }
    return { rows: await bodiesOf(found), cut: true };
  };

  if (of.by === 'source') return byTime(of);
  if (of.by === 'prefix') {
    const few = await byName(of.spans);
    return few === null ? byTime(of) : { rows: await bodiesOf(few), cut: false };
  }
  const rows = await lost()
    .select('body')
    .where((where) => isOf(where, of))
    .orderBy('to_ms', 'desc')
    .limit(limit + 1)
    .execute();
  return { rows, cut: false };
}
