/** How long holds of some subjects usually last, of the last 30 days, or since a week of counted hours. One reading serves whoever asks within some minutes. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { HeldSubject, Hold } from '@/lib/domain/history/episode';
import type { HourBook } from '@/lib/domain/history/hour-book';
import { type UsualLength, usualMin, usualOf } from '@/lib/domain/history/usual';
import type { Store } from '@/lib/server/store/store';
import { hoursOf } from './history-query';
import { rowFrom, subjectColumn, tableOf } from './rows';

export interface UsualQuery {
  /** Of at most `usualMax` of these; those of which too little was seen are absent. */
  usual(subjects: readonly HeldSubject[]): Promise<readonly UsualLength[]>;
}

export const usualMax = 100;
const freshMs = 10 * 60 * 1_000;
const cachedMax = 5_000;
const dayMs = 24 * 60 * 60 * 1_000;
/** The newest with some that are only counted: they are large. */
const hoursMax = 7 * 24;
const days = 30;
/** The newest of one subject: five of them are beyond the p99. */
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
    // What is listed of a time whose short holds are left out here would be its long ones alone.
    const fromMs = counted.length > hoursMax ? (hours.at(-1)?.hourMs ?? sinceMs) : sinceMs;
    const newest = db
      .selectFrom(tableOf.hold)
      .where('subject', '=', subject)
      .where('from_ms', '>=', fromMs)
      .orderBy('from_ms', 'desc');
    // In the index alone: most have too few, and their rows are not read.
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
