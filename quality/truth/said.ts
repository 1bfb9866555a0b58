/** Compares a snapshot's claims about the subject of a row with its demands and prohibitions. Faults are texts. */
import { capabilities, freeOf } from '@/lib/domain/capabilities';
import type { Finding } from '@/lib/domain/findings/finding';
import { holdersOf } from '@/lib/domain/holders';
import {
  type EvidenceCode,
  type Lock,
  type Party,
  type Semaphore,
  type Session,
  type Subject,
  subjectId,
} from '@/lib/domain/model';
import { isOf } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { ApiClaim, Never } from '@/quality/truth/situation';

export type Row = Lock | Semaphore | Session;

export function rowOf(snapshot: Snapshot, subject: Subject): Row | null {
  switch (subject.kind) {
    case 'lock':
      return snapshot.locks.find(isOf(subject)) ?? null;
    case 'semaphore':
      return snapshot.semaphores.find(isOf(subject)) ?? null;
    case 'session':
      return snapshot.sessions.find(isOf(subject)) ?? null;
  }
}

const partiesOf = (row: Row | null): readonly Party[] =>
  row === null || !('kind' in row) ? [] : [...holdersOf(row), ...(row.waiters ?? [])];

const findingsOf = (findings: readonly Finding[], subject: Subject) =>
  findings.filter((one) => subjectId(one.subject) === subjectId(subject));

/** Differences of a value from this part, each as a text. Members that the part lacks may have any value. */
function misses(value: unknown, part: unknown, path: string): string[] {
  const differs = () => [`${path} is ${JSON.stringify(value)}, not ${JSON.stringify(part)}`];
  if (typeof part !== 'object' || part === null) return Object.is(value, part) ? [] : differs();
  if (typeof value !== 'object' || value === null) return differs();
  if (Array.isArray(part) && (!Array.isArray(value) || value.length !== part.length)) return differs();
  return Object.entries(part).flatMap(([name, one]) =>
    misses((value as Record<string, unknown>)[name], one, `${path}.${name}`),
  );
}

/** Demanded claims that the API lacks. */
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
  const found = new Set(findingsOf(snapshot.findings, subject).map(({ code }) => code));
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

/** Forbidden claims that the API makes. */
export function forbiddenSaid(snapshot: Snapshot, subject: Subject, never: Never): string[] {
  const row = rowOf(snapshot, subject);
  const {
    verdicts = [],
    evidence = [],
    findings = [],
    severities = [],
    states = [],
    rows = [],
    listed,
  } = never;
  return [
    ...partiesOf(row).flatMap((party) => [
      ...verdicts
        .filter((verdict) => verdict === party.verdict)
        .map((verdict) => `${party.label}: ${verdict}`),
      ...party.evidence
        .filter(({ code }) => evidence.includes(code))
        .map(({ code }) => `evidence of ${party.label}: ${code}`),
    ]),
    ...findingsOf(snapshot.findings, subject)
      .filter(({ code, severity }) => findings.includes(code) || severities.includes(severity))
      .map(({ code, severity }) => `${code}, ${severity}`),
    ...(row !== null && 'state' in row && states.includes(row.state) ? [`state ${row.state}`] : []),
    ...(row === null ? [] : rows)
      .filter((part) => misses(row, part, '').length === 0)
      .map((part) => `row ${JSON.stringify(part)}`),
    ...(listed === true && row !== null ? ['it is listed'] : []),
    ...(listed === false && row === null ? ['it is not listed'] : []),
  ];
}

/** Facts that must stand behind a verdict on any backend. */
const mustStandBehind: Partial<Record<Party['verdict'], readonly EvidenceCode[]>> = {
  ghost: ['no-entry-locked', 'redis-permit-over', 'redis-not-subscribed', 'zookeeper-place-gone'],
  overdue: ['renewal-overdue', 'redis-renewal-overdue', 'zookeeper-no-connection'],
};

/** Faults of any snapshot. Each rule holds for every row at any time. */
export function intemperate(snapshot: Snapshot): string[] {
  const faults: string[] = [];
  const rule = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault);
  };
  for (const { key, layout, state, holder, delayedUntilMs, waiters } of snapshot.locks) {
    rule(
      (waiters !== null) === (capabilities[layout].waiters === 'queue'),
      `${key}: waiters of a ${layout} are claimed, or kept back`,
    );
    rule((state === 'held') === (holder !== null), `${key}: ${state}, and its holder is ${holder?.label}`);
    rule((state === 'delayed') === (delayedUntilMs !== null), `${key}: ${state} until ${delayedUntilMs}`);
  }
  for (const row of [...snapshot.locks, ...snapshot.semaphores]) {
    const { holds } = capabilities[row.layout];
    for (const { label, verdict, session, evidence, expiry } of partiesOf(row)) {
      const codes = evidence.map((fact) => fact.code);
      const proofs = mustStandBehind[verdict];
      rule(codes.length > 0, `${label}: ${verdict} by nothing`);
      rule(
        holds === 'session'
          ? session !== null || verdict === 'unknown' || verdict === 'ghost'
          : session === null,
        `${label}: ${verdict}, and never seen, or seen with a session that its backend has not`,
      );
      rule(
        proofs === undefined || codes.some((code) => proofs.includes(code)),
        `${label}: ${verdict} without its evidence`,
      );
      // An instant must rest on a renewal that was seen, or on a lease that the backend stores.
      rule(
        expiry.kind === 'observed' ||
          (expiry.kind === 'lease' && holds === 'lease') ||
          (expiry.latestMs === null && expiry.lastRenewalMs === null),
        `${label}: ends at an instant that nobody can know`,
      );
    }
  }
  for (const semaphore of snapshot.semaphores) {
    const { prefix, limit, limitBasis, layout, problems, holders, effective } = semaphore;
    if (capabilities[layout].holds === 'session')
      rule(
        problems.length > 0 || (layout !== 'unreadable' && limit !== null),
        `${prefix}: ${layout} with limit ${limit}, and no word why`,
      );
    if (freeOf(semaphore) !== undefined)
      rule(
        holders.length === 0 && effective === null && (limit === null || limitBasis === 'configured'),
        `${prefix}: ${holders.length} holders and limit ${limit}, of which nothing is stored`,
      );
    if (layout === 'curator-semaphore')
      rule(limit === null || limitBasis !== undefined, `${prefix}: limit ${limit}, which is stored nowhere`);
  }
  return faults;
}
