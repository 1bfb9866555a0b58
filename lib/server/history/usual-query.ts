/**
 * The usual length of holds, from 30 days, or from the last week of counted hours. Requests within ten minutes share
 * one read.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { HeldSubject, Hold } from '@/lib/domain/history/episode';
import type { HourBook } from '@/lib/domain/history/hour-book';
import { type UsualLength, usualMin, usualOf } from '@/lib/domain/history/usual';
import type { Store } from '@/lib/server/store/store';
import { hoursOf } from './history-query';
import { rowFrom, subjectColumn, tableOf } from './rows';

export interface UsualQuery {
  /** Lengths of at most `usualMax` of these. Subjects with too few holds are absent. */
  usual(subjects: readonly HeldSubject[]): Promise<readonly UsualLength[]>;
}

export const usualMax = 100;
const freshMs = 10 * 60 * 1_000;
const cachedMax = 5_000;
const dayMs = 24 * 60 * 60 * 1_000;
/** Most counted hours, because their rows are large. */
const hoursMax = 7 * 24;
const days = 30;
/** Most holds of one subject. Five of them exceed the p99. */
const holdsMax = 500;

export function createUsualQuery({
  store,
  now,
}: {
  readonly store: Pick<Store, 'db' | 'migrate'>;
  readonly now: () => number;
}): UsualQuery {
  const { db } = store;
  const cached = new Map<string, { readonly length: UsualLength | null; readonly untilMs: number }>();

  const read = async (of: HeldSubject, subject: string): Promise<UsualLength | null> => {
    const nowMs = now();
    const sinceMs = nowMs - days * dayMs;
    const counted = await hoursOf(
      store,
      { by: 'subject', subject },
      { fromMs: sinceMs, toMs: nowMs, limit: hoursMax },
    );
    const hours = counted.slice(0, hoursMax).map((row) => rowFrom<HourBook>(row));
    // Before the oldest of these hours, only long holds are listed, so earlier holds are left out.
    const fromMs = counted.length > hoursMax ? (hours.at(-1)?.hourMs ?? sinceMs) : sinceMs;
    const newest = db
      .selectFrom(tableOf.hold)
      .where('subject', '=', subject)
      .where('from_ms', '>=', fromMs)
      .orderBy('from_ms', 'desc');
    // Reads only the index. Most subjects have too few holds.
    const there = await newest.select('from_ms').limit(usualMin).execute();
    if (hours.length === 0 && there.length < usualMin) return null;
    const holds = await newest.select('body').limit(holdsMax).execute();
    return usualOf(
      of,
      holds.map((row) => rowFrom<Hold>(row)),
      hours,
    );
  };

  return {
    async usual(subjects) {
      await store.migrate();
      if (cached.size > cachedMax) cached.clear();
      const lengths: UsualLength[] = [];
      for (const of of subjects.slice(0, usualMax)) {
        const subject = subjectColumn(of);
        let known = cached.get(subject);
        if (known === undefined || known.untilMs <= now()) {
          known = { length: await read(of, subject), untilMs: now() + freshMs };
          cached.set(subject, known);
          await yieldToEventLoop();
        }
        if (known.length !== null) lengths.push(known.length);
      }
      return lengths;
    },
  };
}
