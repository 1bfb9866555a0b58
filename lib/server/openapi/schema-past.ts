/** The data of `/api/v1/history/at` and `/api/v1/history/columns`. */
import { z } from 'zod';
import type { Severity } from '@/lib/domain/findings/finding';
import type { ColumnsAnswer, HourColumn } from '@/lib/domain/history/column';
import type * as H from '@/lib/domain/history/episode';
import type * as P from '@/lib/domain/history/past';
import { flag, instant, list, maybe, number, object, orNull, span, text, word } from './schema-exact';
import { severity } from './schema-finding';
import { verdict } from './schema-ground';
import { findingEpisode, hold, hourFigures, wait } from './schema-history';

/** The members of a schema that is made elsewhere. */
const shapeOf = <T>(of: z.ZodType<T>) =>
  (of as unknown as z.ZodObject).shape as { [K in keyof T]: z.ZodType<T[K]> };

const holdShape = shapeOf<H.Hold>(hold);
const waitShape = shapeOf<H.Wait>(wait);
const findingShape = shapeOf<H.FindingEpisode>(findingEpisode);

const session = orNull(
  object<{ readonly name: string; readonly node: string }>()({ name: text, node: text }),
);
const until = holdShape.to.describe('When it was over, as is known now; null: it still is so.');

const holder = object<P.PastHolder>()({
  sessionId: text,
  label: text,
  session,
  since: holdShape.from,
  until,
  end: holdShape.end,
  deed: holdShape.deed,
  verdict,
  mode: maybe(word<'read' | 'write'>({ read: true, write: true })),
});

const waiter = object<P.PastWaiter>()({
  sessionId: text,
  label: text,
  session,
  since: waitShape.from,
  until,
  end: waitShape.end,
  deed: waitShape.deed,
});

const holdFields = {
  source: text,
  holders: list(holder),
  waiters: maybe(list(waiter)).describe('Absent: not known who waited, if anybody.'),
};

const lock = object<P.PastLock>()({ kind: word<'lock'>({ lock: true }), key: text, ...holdFields });

const semaphore = object<P.PastSemaphore>()({
  kind: word<'semaphore'>({ semaphore: true }),
  prefix: text,
  ...holdFields,
  limit: maybe(number).describe('Absent: no change of it is kept that would tell.'),
});

const source = object<P.PastSource>()({
  id: text,
  state: word<P.PastSource['state']>({ seen: true, unseen: true }),
  why: orNull(
    word<NonNullable<P.PastSource['why']>>({
      outage: true,
      restart: true,
      behind: true,
      'not-kept': true,
      'not-written': true,
    }),
  ).describe(
    'For `unseen`. `not-kept`: before what is kept of it. `not-written`: not in the store, or not yet. The others are those of a gap.',
  ),
  fromMs: orNull(instant).describe('Of the gap.'),
  toMs: orNull(instant),
}).describe(
  '`unseen`: nothing is known of it then, and none of its rows is here: never free, and never idle.',
);

const change = object<P.PastChange>()({
  atMs: orNull(instant).describe('null: none was found.'),
  complete: flag.describe(
    'All that is kept of its side was looked at; otherwise a nearer one, or one at all, may have been missed. False where some is only counted, or not written yet; always for whoever may not read everything.',
  ),
}).describe(
  'The nearest instant at which a hold, a wait or a finding began or ended, or watching stopped or began again.',
);

export const pastAnswer = object<P.PastAnswer>()({
  at: instant,
  previous: change,
  next: change,
  keptSinceMs: orNull(instant),
  awaySinceMs: orNull(instant).describe('Since when nothing is kept, as the store does not answer.'),
  off: flag.describe('`SIGNALBOX_HISTORY=off`'),
  sources: list(source),
  locks: list(lock).describe('Held or waited for. Whether another one was there and free is not kept.'),
  semaphores: list(semaphore),
  findings: list(
    object<P.PastFinding>()({
      code: findingShape.code,
      subject: findingShape.subject,
      severity: severity as z.ZodType<Severity>,
      since: findingShape.from,
      until,
      cleared: findingShape.cleared,
      deed: findingShape.deed,
    }),
  ),
  counted: list(hourFigures).describe(
    'Of that hour: holds that are only counted, so that it is not known whether one was at this instant.',
  ),
  more: flag.describe('There are more rows of a kind.'),
}).describe(
  'The world at one instant, in the shape of the snapshot. What the history does not know, as values and flags, is absent.',
);

export const hourColumn = object<HourColumn>()({
  path: text.describe(
    'An SVG path in a box of 60 by 16, a minute for each 1: as high as the share in which it was held, a line while idle, nothing where it was not seen.',
  ),
  heldShare: orNull(number).describe('Of the time that was seen, 0 to 1; null: nothing of it was.'),
  seenMs: span,
  waitersMax: orNull(number).describe('The most that waited during one of its holds; null: not known.'),
  counted: flag.describe('Some holds are only counted, and spread over their hour.'),
});

export const columnsAnswer = object<ColumnsAnswer>()({
  at: instant,
  off: flag.describe('`SIGNALBOX_HISTORY=off`'),
  awaySinceMs: orNull(instant),
  columns: z.record(z.string(), hourColumn) as unknown as z.ZodType<ColumnsAnswer['columns']>,
});
