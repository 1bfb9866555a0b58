/** The findings filter of a request: `?severity=&code=&prefix=&subject=`. */
import { z } from 'zod';
import { concernedBy, type Finding, type FindingCode, severities } from '@/lib/domain/findings/finding';
import { type Subject, subjectId } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import { sourceIdPattern } from '@/lib/domain/source';
import { en } from '@/lib/i18n/messages';

const listOf = <T extends string>(values: readonly T[]) =>
  z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(values as [T, ...T[]])))
    .nullable()
    .default(null);

export const filterSchema = z.object({
  severity: listOf(severities),
  code: listOf(Object.keys(en.findings) as FindingCode[]),
  /** A string prefix of a key or of a semaphore's prefix. */
  prefix: z.string().max(2048).default(''),
  /** The source whose findings to show; `null`: all sources. */
  source: z.string().regex(sourceIdPattern).nullable().default(null),
  /** `lock:<key>`, `semaphore:<prefix>` or `session:<id>`, after `<source>!` unless that is the first. */
  subject: z
    .string()
    .max(2100)
    .regex(/^([a-z][a-z0-9-]{0,31}!)?(lock|semaphore|session):/)
    .nullable()
    .default(null),
});

export type FindingFilter = z.infer<typeof filterSchema>;

/** Throws a `ProblemError` of code `invalid`. */
export function readFindingFilter(query: URLSearchParams): FindingFilter {
  const given = Object.fromEntries(
    Object.keys(filterSchema.shape).flatMap((name) => {
      const value = query.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  const parsed = filterSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ProblemError({
    code: 'invalid',
    detail:
      'severity is urgent, warning or notice, code one of the known codes (both may be lists with commas), prefix at most 2048 characters, source the id of a source, and subject lock:<key>, semaphore:<prefix> or session:<id>.',
  });
}

/** No filter is set. */
export const matchesAll = (filter: FindingFilter) =>
  Object.values(filter).every((value) => value === null || value === '');

const nameOf = (subject: Subject) =>
  subject.kind === 'lock' ? subject.key : subject.kind === 'semaphore' ? subject.prefix : null;

export function filterFindings(
  findings: readonly Finding[],
  { severity, code, prefix, source, subject }: FindingFilter,
): readonly Finding[] {
  return findings.filter(
    (finding) =>
      (severity === null || severity.includes(finding.severity)) &&
      (code === null || code.includes(finding.code)) &&
      (prefix === '' || concernedBy(finding).some((one) => nameOf(one)?.startsWith(prefix))) &&
      (source === null || concernedBy(finding).some((one) => one.source === source)) &&
      (subject === null || concernedBy(finding).some((one) => subjectId(one) === subject)),
  );
}
