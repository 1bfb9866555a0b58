/** `POST /api/v1/history/columns`: the last hour of the locks and semaphores on a screen, each as one path. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import { keyLengthMax } from '@/lib/domain/actions/schema';
import { namesHolders } from '@/lib/domain/capabilities';
import {
  type ColumnsAnswer,
  columnMs,
  columnOf,
  columnsMax,
  type HourColumn,
} from '@/lib/domain/history/column';
import { type Gap, type Hold, heldAlone } from '@/lib/domain/history/episode';
import { rowOf } from '@/lib/domain/history/hold-book';
import { figuresOf, type HourBook } from '@/lib/domain/history/hour-book';
import { ProblemError } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/seam/provider';
import { partsOf } from '@/lib/domain/source-state';
import { subjectOfId } from '@/lib/domain/subject';
import { readJsonBody } from '@/lib/server/http/http';
import { requireSource } from '@/lib/server/http/known-source';
import { rightsTo } from '@/lib/server/identity/subject-rights';
import type { Hub } from '@/lib/server/live/hub';
import type { Store } from '@/lib/server/store/store';
import { type HistoryCaller, noStore, notRead, recordedIn } from './answer';
import type { HistoryBook } from './history';
import { begun } from './history-of';
import { gapsOf, hoursOf, writtenUntilOf } from './history-query';
import { rowFrom, tableOf } from './rows';

export interface Columns {
  /** By subject (`subjectId`). One reading serves whoever asks within some seconds. */
  columns(subjects: readonly string[]): Promise<ReadonlyMap<string, HourColumn>>;
}

const freshMs = 10_000;
const cachedMax = 20_000;
/** Holds of one subject in one hour; a hotter one is only seen as far back as they reach. */
const holdsMax = 400;
/** The newest from before the hour: most often they tell which of them went on. */
const earlierMax = 32;
/** Read at a time: each blocks SQLite's callers for less than a millisecond. */
const atOnce = 16;

interface Around {
  readonly gaps: readonly Gap[];
  readonly untilMs: number;
  readonly keptSinceMs: number;
}

export interface ColumnsOptions {
  readonly store: Pick<Store, 'db' | 'migrate'>;
  readonly since: () => Promise<number | null>;
  readonly now: () => number;
}

export function createColumns({ store, since, now }: ColumnsOptions): Columns {
  const { db } = store;
  const cached = new Map<string, { readonly column: Promise<HourColumn>; readonly untilMs: number }>();

  const around = async (atMs: number): Promise<Around> => {
    const [keptSinceMs, gaps, untilMs] = await Promise.all([
      since(),
      gapsOf(store, { fromMs: atMs - columnMs, toMs: atMs, limit: 0 }),
      writtenUntilOf(store),
    ]);
    return {
      gaps: gaps.map((row) => rowFrom<Gap>(row)),
      untilMs,
      keptSinceMs: keptSinceMs ?? atMs,
    };
  };

  const rows = () => db.selectFrom(tableOf.hold).select(['from_ms', 'to_ms', 'body']);

  /** Those that began before the hour and reached into it. */
  const intoHour = async (subject: string, startMs: number) => {
    const newest = await rows()
      .where('subject', '=', subject)
      .where('from_ms', '<', startMs)
      .orderBy('from_ms', 'desc')
      .limit(earlierMax)
      .execute();
    const [last] = newest;
    if (newest.length < earlierMax || last === undefined || heldAlone(rowFrom<Hold>(last)))
      return newest.filter(({ to_ms }) => to_ms === null || Number(to_ms) >= startMs);
    // Of several slots an older one may be held still. By the index of times, as there may be a month of ended ones.
    const older = rows()
      .where(sql<string>`(subject || '')`, '=', subject)
      // Most of a month began before the hour, and few end so late.
      .where(begun, '<', startMs)
      .limit(holdsMax);
    return [
      ...(await older.where('to_ms', 'is', null).execute()),
      ...(await older.where('to_ms', '>=', startMs).execute()),
    ];
  };

  const read = async (subject: string, atMs: number, { gaps, untilMs, keptSinceMs }: Around) => {
    const startMs = atMs - columnMs;
    const holds = rows().where('subject', '=', subject).orderBy('from_ms', 'desc');
    const [recent, earlier, hours] = await Promise.all([
      holds.where('from_ms', '>=', startMs).limit(holdsMax).execute(),
      intoHour(subject, startMs),
      hoursOf(store, { by: 'subject', subject }, { fromMs: startMs, toMs: atMs, limit: 2 }),
    ]);
    const there = [...earlier, ...recent];
    const source = subjectOfId(subject)?.source;
    return columnOf(
      {
        holds: there.map((row) => rowFrom<Hold>(row)),
        gaps: gaps.filter((gap) => gap.source === source),
        hours: hours.map((row) => figuresOf(rowFrom<HourBook>(row))),
        fromMs: Math.max(
          keptSinceMs,
          recent.length === holdsMax ? Number(recent.at(-1)?.from_ms) : Number.NEGATIVE_INFINITY,
        ),
        // The present: nothing newer is written yet, and nothing else is known of it.
        untilMs: atMs - untilMs < freshMs ? atMs : untilMs,
      },
      atMs,
    );
  };

  return {
    async columns(subjects) {
      const atMs = now();
      if (cached.size + subjects.length > cachedMax) cached.clear();
      const missing = subjects.filter((subject) => (cached.get(subject)?.untilMs ?? 0) <= atMs);
      if (missing.length > 0) {
        await store.migrate();
        const known = await around(atMs);
        for (let i = 0; i < missing.length; i += atOnce) {
          const some = missing.slice(i, i + atOnce);
          for (const subject of some)
            cached.set(subject, { column: read(subject, atMs, known), untilMs: atMs + freshMs });
          await Promise.allSettled(some.map((subject) => cached.get(subject)?.column));
          await yieldToEventLoop();
        }
      }
      const found = new Map<string, HourColumn>();
      for (const subject of subjects) {
        const column = await cached.get(subject)?.column.catch((error: unknown) => {
          cached.delete(subject);
          throw error;
        });
        if (column !== undefined) found.set(subject, column);
      }
      return found;
    },
  };
}

export const columnsSchema = z.strictObject({
  /** As in the audit: `lock:KEY`, `semaphore:PREFIX`, with `SOURCE!` before it for another source. */
  subjects: z
    .array(z.string().max(keyLengthMax + 64))
    .min(1)
    .max(columnsMax),
});

/** Sixty of the longest names, or two hundred that are long. */
const bodyBytesMax = 256 * 1024;

const invalid = (): never => {
  throw new ProblemError({
    code: 'invalid',
    why: { code: 'request-not-understood', facts: { where: 'subjects' } },
  });
};

export type ColumnsCaller = Pick<HistoryCaller, 'accessControl'> & {
  readonly viewpoint: {
    readonly provider: HistoryCaller['viewpoint']['provider'];
    readonly hub: Pick<Hub, 'snapshot'>;
  };
};

export async function answerColumns(
  request: Request,
  { accessControl, viewpoint: { provider, hub } }: ColumnsCaller,
  { history, now }: { readonly history: Pick<HistoryBook, 'columns' | 'state'>; readonly now: () => number },
): Promise<Response> {
  const parsed = columnsSchema.safeParse(await readJsonBody(request, bodyBytesMax));
  if (!parsed.success) return invalid();
  const subjects = [...new Set(parsed.data.subjects)];
  for (const subject of subjects) {
    const known = subjectOfId(subject);
    if (known === null || known.kind === 'session') return invalid();
    requireSource(known.source, hub.snapshot().source);
  }
  const state = history.state();
  const allowed =
    accessControl === 'off' || provider.readable === undefined
      ? () => 'yes' as const
      : await rightsTo(subjects, provider as Provider, now, request.signal);
  const world = hub.snapshot();
  const recorded = recordedIn(partsOf(world.source));
  // Of those nobody is ever seen to hold, and they would look idle.
  const isNamed = (subject: string) => {
    const of = subjectOfId(subject);
    const row = of === null || of.kind === 'session' ? null : rowOf(world, of);
    return (
      of !== null &&
      recorded.has(of.source) &&
      (row === null || namesHolders(row)) &&
      // No name of a row has it, and Postgres refuses the question.
      !subject.includes('\0')
    );
  };
  const readable = subjects.filter((subject) => allowed(subject) === 'yes' && isNamed(subject));
  const answer: ColumnsAnswer = {
    at: now(),
    off: state === null,
    awaySinceMs: state?.awaySinceMs ?? null,
    columns: state === null ? {} : Object.fromEntries(await history.columns(readable).catch(notRead)),
  };
  return Response.json(answer, { headers: noStore });
}
