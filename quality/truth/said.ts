/** What a snapshot says of the subject of a row, compared with what it must and must not say. Faults are texts. */
import type { Finding } from '@/lib/domain/findings/finding';
import {
  type Lock,
  type Party,
  type Semaphore,
  type Session,
  type Subject,
  subjectId,
} from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { ApiClaim, Never } from '@/quality/truth/situation';

export type Row = Lock | Semaphore | Session;

export function rowOf(snapshot: Snapshot, subject: Subject): Row | null {
  switch (subject.kind) {
    case 'lock':
      return snapshot.locks.find((lock) => lock.key === subject.key) ?? null;
    case 'semaphore':
      return snapshot.semaphores.find((semaphore) => semaphore.prefix === subject.prefix) ?? null;
    case 'session':
      return snapshot.sessions.find((session) => session.id === subject.id) ?? null;
  }
}

function partiesOf(row: Row | null): readonly Party[] {
  if (row === null || !('kind' in row)) return [];
  if (row.kind === 'lock') return row.holder === null ? [] : [row.holder];
  return [...row.holders, ...row.waiters];
}

const codesOf = (findings: readonly Finding[], subject: Subject) =>
  findings.filter((one) => subjectId(one.subject) === subjectId(subject)).map((one) => one.code);

/** Differences of a value from this part, each as a text. What the part leaves out may be anything. */
function misses(value: unknown, part: unknown, path: string): string[] {
  const differs = () => [`${path} is ${JSON.stringify(value)}, not ${JSON.stringify(part)}`];
  if (typeof part !== 'object' || part === null) return Object.is(value, part) ? [] : differs();
  if (typeof value !== 'object' || value === null) return differs();
  if (Array.isArray(part) && (!Array.isArray(value) || value.length !== part.length)) return differs();
  return Object.entries(part).flatMap(([name, one]) =>
    misses((value as Record<string, unknown>)[name], one, `${path}.${name}`),
  );
}

/** Missing in the API. */
export function missing(
  snapshot: Snapshot,
  subject: Subject,
  { row: part, verdicts, evidence, findings }: ApiClaim,
): string[] {
  const row = rowOf(snapshot, subject);
  if (part === null) return row === null ? [] : [`${subjectId(subject)} is listed`];
  if (row === null) return [`${subjectId(subject)} is not listed`];
  const parties = partiesOf(row);
  const facts = new Set(parties.flatMap((party) => party.evidence.map(({ code }) => code)));
  const found = new Set(codesOf(snapshot.findings, subject));
  return [
    ...misses(row, part, 'row'),
    ...Object.entries(verdicts ?? {}).flatMap(([id, verdict]) => {
      const said = parties.find(({ sessionId }) => sessionId === id)?.verdict;
      return said === verdict ? [] : [`${id} is ${said ?? 'not there'}, not ${verdict}`];
    }),
    ...(evidence ?? []).filter((code) => !facts.has(code)).map((code) => `no evidence ${code}`),
    ...(findings ?? []).filter((code) => !found.has(code)).map((code) => `no finding ${code}`),
  ];
}

/** Present in the API although forbidden. */
export function forbiddenSaid(snapshot: Snapshot, subject: Subject, never: Never): string[] {
  const row = rowOf(snapshot, subject);
  const { verdicts = [], evidence = [], findings = [], states = [], rows = [], listed } = never;
  return [
    ...partiesOf(row).flatMap((party) => [
      ...verdicts
        .filter((verdict) => verdict === party.verdict)
        .map((verdict) => `${party.label}: ${verdict}`),
      ...party.evidence
        .filter(({ code }) => evidence.includes(code))
        .map(({ code }) => `evidence of ${party.label}: ${code}`),
    ]),
    ...codesOf(snapshot.findings, subject).filter((code) => findings.includes(code)),
    ...(row !== null && 'state' in row && states.includes(row.state) ? [`state ${row.state}`] : []),
    ...(row === null ? [] : rows)
      .filter((part) => misses(row, part, '').length === 0)
      .map((part) => `row ${JSON.stringify(part)}`),
    ...(listed === true && row !== null ? ['it is listed'] : []),
    ...(listed === false && row === null ? ['it is not listed'] : []),
  ];
}

/** Faults of any snapshot: each rule holds for every row at any time. */
export function intemperate(snapshot: Snapshot): string[] {
  const faults: string[] = [];
  const rule = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault);
  };
  for (const { key, state, holder, delayedUntilMs, waiters } of snapshot.locks) {
    rule(waiters === null, `${key}: waiters of a plain lock are claimed`);
    rule((state === 'held') === (holder !== null), `${key}: ${state}, and its holder is ${holder?.label}`);
    rule((state === 'delayed') === (delayedUntilMs !== null), `${key}: ${state} until ${delayedUntilMs}`);
  }
  for (const { label, verdict, session, evidence, expiry } of [
    ...snapshot.locks,
    ...snapshot.semaphores,
  ].flatMap(partiesOf)) {
    const codes = evidence.map((fact) => fact.code);
    rule(codes.length > 0, `${label}: ${verdict} by nothing`);
    rule(
      session !== null || verdict === 'unknown' || verdict === 'ghost',
      `${label}: ${verdict}, and never seen`,
    );
    rule(verdict !== 'ghost' || codes.includes('no-entry-locked'), `${label}: a ghost without its evidence`);
    rule(
      verdict !== 'overdue' || codes.includes('renewal-overdue'),
      `${label}: overdue without its evidence`,
    );
    // An instant rests on a renewal that was seen, and on nothing else.
    rule(
      expiry.kind === 'observed' || (expiry.latestMs === null && expiry.lastRenewalMs === null),
      `${label}: ends at an instant that nobody can know`,
    );
  }
  for (const { prefix, limit, layout, problems } of snapshot.semaphores)
    rule(
      problems.length > 0 || (layout !== 'unreadable' && limit !== null),
      `${prefix}: ${layout} with limit ${limit}, and no word why`,
    );
  return faults;
}
