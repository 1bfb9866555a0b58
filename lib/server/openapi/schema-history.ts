/** The data of `/api/v1/history`. */
import type { z } from 'zod';
import type { FindingCode, Severity } from '@/lib/domain/findings/finding';
import type { SentHistory } from '@/lib/domain/history/answer';
import type * as H from '@/lib/domain/history/episode';
import type * as F from '@/lib/domain/history/figures';
import type { UsualLength } from '@/lib/domain/history/usual';
import { flag, instant, list, maybe, number, object, orNull, span, text, word } from './schema-exact';
import { findingCode, severity } from './schema-finding';
import { subject as anySubject, verdict } from './schema-ground';

/** Clients can only hold a lock or a semaphore. */
const subject = anySubject as unknown as z.ZodType<H.HeldSubject>;

const moment = object<H.Moment>()({
  atMs: instant,
  basis: word<H.Moment['basis']>({
    observed: true,
    'at-least': true,
    'at-most': true,
    value: true,
  }).describe(
    '`observed`: seen, at most one read late. `at-least`: so already when Signalbox first looked. `at-most`: no longer so when it looked again after a gap. `value`: read from a record.',
  ),
});

const who = object<H.Who>()({ id: text, label: text, name: orNull(text), node: orNull(text) }).describe(
  'As it was named then. `name` and `node` are null where sessions may not be read.',
);

const deed = object<H.DeedMark>()({
  seq: orNull(number),
  by: orNull(text),
  type: text,
  reason: orNull(text),
  atMs: instant,
}).describe('The action of Signalbox that did it. `by`: null is anonymous.');

export const hold = object<H.Hold>()({
  id: text,
  subject,
  who,
  mode: orNull(word<NonNullable<H.Hold['mode']>>({ read: true, write: true })),
  from: moment,
  to: orNull(moment),
  end: orNull(
    word<H.HoldEnd>({
      released: true,
      'session-ended': true,
      'lease-ended': true,
      'evicted-here': true,
      'entry-deleted': true,
      'entry-overwritten': true,
      'not-watched': true,
    }),
  ),
  deed: orNull(deed),
  verdicts: list(object<H.VerdictMark>()({ verdict, atMs: instant })),
  waitersMax: orNull(number).describe(
    'The most that were seen to wait meanwhile; null: it cannot be told, as where only clients that listen are counted and none did.',
  ),
  delayMs: orNull(span).describe('The lock-delay that followed.'),
  token: orNull(text).describe('The fencing token.'),
}).describe('One hold, from when it began until it ended. `to` is null while it goes on.');

export const wait = object<H.Wait>()({
  id: text,
  subject,
  who,
  from: moment,
  to: orNull(moment),
  end: orNull(
    word<H.WaitEnd>({
      'got-in': true,
      left: true,
      'session-ended': true,
      'removed-here': true,
      'not-watched': true,
    }),
  ),
  deed: orNull(deed),
}).describe('One place in a visible queue.');

export const findingEpisode = object<H.FindingEpisode>()({
  id: text,
  code: findingCode as z.ZodType<FindingCode>,
  subject: anySubject,
  from: moment,
  to: orNull(moment),
  severities: list(
    object<H.FindingEpisode['severities'][number]>()({
      severity: severity as z.ZodType<Severity>,
      atMs: instant,
    }),
  ),
  cleared: orNull(word<H.Clearing>({ action: true, time: true, client: true, 'not-watched': true })).describe(
    '`time`: a TTL, a lease or a check ended it. `client`: anything else that was no action of Signalbox.',
  ),
  deed: orNull(deed),
}).describe('One finding, from when it opened until it cleared.');

export const limitChange = object<H.LimitChange>()({
  id: text,
  subject,
  before: number,
  after: number,
  at: moment,
  deed: orNull(deed),
}).describe('A semaphore’s limit changed.');

export const gap = object<H.Gap>()({
  id: text,
  source: text,
  fromMs: instant,
  toMs: orNull(instant),
  why: word<H.Gap['why']>({ outage: true, restart: true, behind: true }),
}).describe('Nothing was seen of the source: never idle, and never free. `toMs` is null while it goes on.');

export const hourFigures = object<H.HourFigures>()({
  subject,
  hourMs: instant,
  holds: number,
  heldMs: span,
  holdP50Ms: span,
  holdP95Ms: span,
  holdMaxMs: span,
  waits: number,
  waitP50Ms: orNull(span),
  waitP95Ms: orNull(span),
  waitMaxMs: orNull(span),
  lost: number,
}).describe(
  'What ended in the hour from `hourMs` on and is only counted: old holds, and short ones of a hot lock. Percentiles, which are at most 5 % off, and the longest are of those that were seen whole; 0: no hold was. `lost`: how many were seen to end otherwise than by being released.',
);

export const historyAnswer = object<SentHistory>()({
  from: instant,
  to: instant,
  keptSinceMs: orNull(instant).describe(
    'Since when every hold that ended is kept, alone or counted in `hours`; null: never. A hold may have begun earlier.',
  ),
  awaySinceMs: orNull(instant).describe('Since when nothing is kept, as the store does not answer.'),
  off: flag.describe('`SIGNALBOX_HISTORY=off`'),
  folded: flag.describe('Some holds or waits of this time are not listed, only counted in `hours`.'),
  episodes: list(hold),
  waits: maybe(list(wait)).describe(
    'Absent where nothing tells who waited, if anybody did: plain locks of Consul, and those of Redis without a queue.',
  ),
  findings: list(findingEpisode),
  limits: list(limitChange),
  gaps: list(gap),
  hours: list(hourFigures),
  more: flag.describe('The oldest rows of a kind were left out; gaps never are.'),
  usual: list(
    object<UsualLength>()({
      subject,
      n: number.describe('Holds that were seen from their beginning to their end; at least 100.'),
      p99Ms: span.describe('At most 5 % off.'),
    }),
  )
    .optional()
    .describe(
      'Of a prefix: how long holds usually last, of the last 30 days, or since the newest 168 hours with some that are only counted. For the 100 subjects with the longest holds here, where enough was seen of them.',
    ),
}).describe('What was seen of some subjects in some time, each list by its beginning.');

const spanFigures = object<F.SpanFigures>()({
  n: number,
  p50Ms: span,
  p95Ms: span,
  p99Ms: span,
  maxMs: span,
}).describe('Of those that were seen from their beginning to their end. Percentiles are at most 5 % off.');

export const historyFigures = object<F.HistoryFigures>()({
  from: instant,
  to: instant,
  cellMs: span,
  countedFromMs: instant.describe(
    'Later than `from` where holds are kept since then only, or were too many to read. `to` where nothing of it is there or may be read.',
  ),
  off: flag.describe('`SIGNALBOX_HISTORY=off`'),
  gaps: list(gap),
  groups: list(
    object<F.FiguresGroup>()({
      name: orNull(text).describe(
        'The names up to the next `/` or `:` after the prefix; null: all further ones together.',
      ),
      sources: list(text).describe('In which it was seen: a gap of another source hides nothing of it.'),
      heldMs: span,
      lost: number,
      holds: orNull(spanFigures),
      waits: orNull(spanFigures),
      cells: list(object<F.FiguresCell>()({ atMs: instant, heldMs: span, lost: number })),
    }),
  ),
  groupsMore: orNull(number).describe(
    'How many names the group without a name holds together; null: too many to tell them apart.',
  ),
}).describe(
  'What was held and lost below a prefix, by the hour or some of them, the worst part first by `order`.',
);
