/** The query of a history request: `?subject=&source=&from=&to=&limit=&format=`. */
import { z } from 'zod';
import { keyLengthMax } from '@/lib/domain/actions/schema';
import { rangeMaxMs } from '@/lib/domain/history/answer';
import { figuresOrders } from '@/lib/domain/history/figures';
import { subjectId } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import { firstSource, type SourceId, sourceIdPattern } from '@/lib/domain/source';
import { lockSubject, semaphoreSubject } from '@/lib/domain/subject';
import { instantOf } from '@/lib/server/http/instant';
import type { HistoryOf, ScanOf } from './history-of';

export const limitMax = 5_000;
const rangeDefaultMs = 24 * 60 * 60 * 1_000;

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

type Asked = { readonly atMs: number } | { readonly beforeMs: number };

/** An instant, or a span before now such as `-24h`. */
const instant = z
  .string()
  .max(40)
  .transform((text, context): Asked => {
    const [, count, unit] = /^-(\d{1,6})([smhd])$/.exec(text) ?? [];
    if (count !== undefined && unit !== undefined)
      return { beforeMs: Number(count) * unitMs[unit as keyof typeof unitMs] };
    const atMs = instantOf(text);
    if (Number.isFinite(atMs)) return { atMs };
    context.addIssue({ code: 'custom', message: 'no time' });
    return z.NEVER;
  });

export const querySchema = z.object({
  /** `lock:KEY`, `semaphore:PREFIX`, `session:ID`, or `prefix:TEXT`; absent: all. */
  subject: z
    .string()
    .regex(/^(lock|semaphore|session|prefix):[^\0]*$/)
    .max(keyLengthMax + 16)
    .default('prefix:'),
  source: z.string().regex(sourceIdPattern).nullable().default(null),
  from: instant.nullable().default(null),
  to: instant.nullable().default(null),
  limit: z.coerce.number().int().min(1).max(limitMax).default(1_000),
  ends: z.enum(['all', 'lost']).default('all'),
  format: z.enum(['json', 'csv', 'jsonl']).default('json'),
});

export const pastSchema = z.object({
  time: instant,
  /** `lock:KEY`, `semaphore:PREFIX` or `prefix:TEXT`; absent: all. */
  subject: z
    .string()
    .regex(/^(lock|semaphore|prefix):[^\0]*$/)
    .max(keyLengthMax + 16)
    .default('prefix:'),
  source: querySchema.shape.source,
  limit: querySchema.shape.limit,
});

export interface HistoryAsked {
  /** The subject as in the query: `lock:KEY`. */
  readonly subject: string;
  /** `null`: every source. */
  readonly source: SourceId | null;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
  /** `lost`: see `HistoryRange`. */
  readonly ends: 'all' | 'lost';
  readonly format: 'json' | 'csv' | 'jsonl';
}

function invalid(where: string): never {
  throw new ProblemError({ code: 'invalid', why: { code: 'request-not-understood', facts: { where } } });
}

/**
 * The end of every range of names: the last code point, which is no character. Databases sort by UTF-8, so U+FFFF comes
 * before others.
 */
const beyond = '\u{10ffff}';

/** The rows for a subject in these sources. Only a prefix can have several sources. */
export function ofSubject(text: string, sources: readonly SourceId[]): HistoryOf {
  const [source = firstSource] = sources;
  const [kind = '', name = ''] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)];
  switch (kind) {
    case 'lock':
      return { by: 'subject', subject: subjectId(lockSubject({ source, key: name })) };
    case 'semaphore':
      return { by: 'subject', subject: subjectId(semaphoreSubject({ source, prefix: name })) };
    case 'session':
      return { by: 'party', source, party: name };
    default:
      return ofPrefix(name, sources);
  }
}

/** An empty name selects everything. */
export function ofPrefix(name: string, sources: readonly SourceId[]): ScanOf {
  if (name === '') return { by: 'source', sources };
  const begins = sources.flatMap((one) => [
    subjectId(lockSubject({ source: one, key: name })),
    subjectId(semaphoreSubject({ source: one, prefix: name })),
  ]);
  return { by: 'prefix', spans: begins.map((from) => [from, `${from}${beyond}`]) };
}

/** The query of a request for figures. */
export const figuresSchema = querySchema.pick({ source: true, from: true, to: true }).extend({
  prefix: z
    .string()
    .regex(/^[^\0]*$/)
    .max(keyLengthMax)
    .default(''),
  order: z.enum(figuresOrders).default('held'),
});

const timeOf = (asked: Asked | null, nowMs: number): number | null =>
  asked === null ? null : 'atMs' in asked ? asked.atMs : nowMs - asked.beforeMs;

/** Throws a `ProblemError` of code `invalid` that names the first wrong parameter. */
function parse<S extends z.ZodObject>(schema: S, query: URLSearchParams): z.output<S> {
  const given = [...query].filter(([name, text]) => Object.hasOwn(schema.shape, name) && text !== '');
  const parsed = schema.safeParse(Object.fromEntries(given));
  return parsed.success ? parsed.data : invalid(String(parsed.error.issues[0]?.path[0] ?? ''));
}

/** A prefix selects all sources, as on the board. Other subjects have one source. */
const sourceOf = ({ subject, source }: Pick<HistoryAsked, 'subject' | 'source'>): SourceId | null =>
  source ?? (subject.startsWith('prefix:') ? null : firstSource);

function rangeIn(from: Asked | null, to: Asked | null, nowMs: number) {
  const toMs = timeOf(to, nowMs) ?? nowMs;
  const fromMs = timeOf(from, nowMs) ?? toMs - rangeDefaultMs;
  if (fromMs < 0 || fromMs >= toMs) return invalid('from');
  if (toMs - fromMs > rangeMaxMs || toMs > nowMs + rangeDefaultMs) return invalid('to');
  return { fromMs, toMs };
}

/** Throws like `parse`. */
export function readHistoryQuery(query: URLSearchParams, nowMs: number): HistoryAsked {
  const { subject, source, from, to, limit, ends, format } = parse(querySchema, query);
  return { subject, source: sourceOf({ subject, source }), ...rangeIn(from, to, nowMs), limit, ends, format };
}

/** A client's clock may be slightly ahead. */
const aheadMs = 60_000;

export interface PastAsked extends Pick<HistoryAsked, 'subject' | 'source' | 'limit'> {
  readonly atMs: number;
}

/** Throws like `parse`. */
export function readPastQuery(query: URLSearchParams, nowMs: number): PastAsked {
  const { time, subject, source, limit } = parse(pastSchema, query);
  const atMs = timeOf(time, nowMs) ?? nowMs;
  if (atMs < 0 || atMs > nowMs + aheadMs) return invalid('time');
  return { atMs, subject, source: sourceOf({ subject, source }), limit };
}

/** Throws like `parse`. */
export function readFiguresQuery(query: URLSearchParams, nowMs: number) {
  const { prefix, source, order, from, to } = parse(figuresSchema, query);
  return { prefix, source, order, ...rangeIn(from, to, nowMs) };
}
