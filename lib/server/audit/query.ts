/**
 * The query of an audit request: `?below=&limit=&kind=&thread=&subject=&person=&from=&to=&action=&outcome=&format=`.
 */
import { z } from 'zod';
import { actionTypes } from '@/lib/domain/actions/action';
import { auditKinds } from '@/lib/domain/actions/audit';
import { deedStates } from '@/lib/domain/actions/deed';
import { keyLengthMax } from '@/lib/domain/actions/schema';
import { ProblemError } from '@/lib/domain/problem';
import { sourceIdPattern } from '@/lib/domain/source';
import { instantOf } from '@/lib/server/http/instant';

/** Rows in one JSON answer; exports as CSV or JSON lines have no limit. */
export const rowsMax = 1_000;

const instant = z.string().max(40).transform(instantOf).pipe(z.number());

export const querySchema = z.object({
  /** The cursor from `older` of the previous answer. */
  below: z.string().max(200).nullable().default(null),
  limit: z.coerce.number().int().min(1).max(rowsMax).default(100),
  format: z.enum(['json', 'csv', 'jsonl']).default('json'),
  kind: z.enum(auditKinds).nullable().default(null),
  thread: z.string().max(128).nullable().default(null),
  /** Rows about this source; `null`: about any, or about none. */
  source: z.string().regex(sourceIdPattern).nullable().default(null),
  /** A complete subject (`lock:<key>`, `semaphore:<prefix>`, `session:<id>`), or a part of its name. */
  subject: z
    .string()
    .max(keyLengthMax + 64)
    .nullable()
    .default(null),
  /** A part of the person's name, or the complete id; letter case does not count. */
  person: z.string().max(256).nullable().default(null),
  action: z.enum(actionTypes).nullable().default(null),
  outcome: z.enum(deedStates).nullable().default(null),
  from: instant.nullable().default(null),
  to: instant.nullable().default(null),
});

export type AuditAsked = z.infer<typeof querySchema>;

export type AuditFilter = Omit<AuditAsked, 'below' | 'limit' | 'format'>;

type Parameters = Readonly<Record<string, string | string[] | undefined>>;

/** A form sends its empty fields too. */
function given(query: Parameters): Record<string, string> {
  const all = Object.keys(querySchema.shape).map((name) => {
    const value = query[name];
    return [name, (Array.isArray(value) ? value[0] : value)?.trim() ?? ''] as const;
  });
  return Object.fromEntries(all.filter(([, value]) => value !== ''));
}

/** Throws a `ProblemError` of code `invalid` that names the first wrong parameter. */
export function readAuditQuery(query: Parameters): AuditAsked {
  const parsed = querySchema.safeParse(given(query));
  if (parsed.success) return parsed.data;
  const where = String(parsed.error.issues[0]?.path[0] ?? '');
  throw new ProblemError({ code: 'invalid', why: { code: 'request-not-understood', facts: { where } } });
}
