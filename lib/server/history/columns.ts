/** `POST /api/v1/history/columns`: the last hour of the locks and semaphores on a screen, one path each. */
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
import { figuresOf, type HourBook } from '@/lib/domain/history/hour-book';
import { rowOf } from '@/lib/domain/history/record/look';
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
import { begun } from './history-of';
import { gapsOf, hoursOf, writtenUntilOf } from './history-query';
import type { Recording } from './keeper';
import { rowFrom, tableOf } from './rows';

export interface Columns {
  /** Columns by subject (`subjectId`). Requests within ten seconds share one read. */
  columns(subjects: readonly string[]): Promise<ReadonlyMap<string, HourColumn>>;
}

const freshMs = 10_000;
const cachedMax = 20_000;
/** Most holds of one subject in one hour. The column of a hotter one begins at the oldest of them. */
const holdsMax = 400;
/** The newest holds from before the hour usually include all that reached into it. */
const earlierMax = 32;
/** Subjects per read. Each blocks SQLite's callers for less than a millisecond. */
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

  /** The holds that began before the hour and reached into it. */
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
    // An older slot may still be held. The index of times skips a month of ended ones.
    const older = rows()
      .where(sql<string>`(subject || '')`, '=', subject)
      // Most holds of a month began before the hour, and few of them end so late.
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
        // Near the present, the last write may lag, and the holds are assumed to continue.
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
  /** Subjects as in the audit: `lock:KEY` or `semaphore:PREFIX`, after `SOURCE!` for another source. */
  subjects: z
    .array(z.string().max(keyLengthMax + 64))
    .min(1)
    .max(columnsMax),
});

/** Room for sixty of the longest names, or for two hundred long ones. */
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
  { history, now }: { readonly history: Columns & Recording; readonly now: () => number },
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
  // A lock without visible holders would look idle.
  const isNamed = (subject: string) => {
    const of = subjectOfId(subject);
    const row = of === null || of.kind === 'session' ? null : rowOf(world, of);
    return (
      of !== null &&
      recorded.has(of.source) &&
      (row === null || namesHolders(row)) &&
      // No name of a row contains NUL, and Postgres refuses it.
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
