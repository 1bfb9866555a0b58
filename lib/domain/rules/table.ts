/**
 * Every rule, and the findings that follow from a world. To add one: its code and facts in `finding.ts`, a row in the
 * file of its noun, a case in `table.test.ts`, and its sentences, without which the languages do not compile.
 */
import { type Finding, type FindingCode, groundsMax } from '@/lib/domain/finding';
import {
  type Lock,
  type Semaphore,
  type Session,
  type Subject,
  subjectId,
  type World,
} from '@/lib/domain/model';
import { deadlockRules } from './deadlock';
import { entryRules } from './entry';
import { holderRules } from './holder';
import type { Context, Found, Rule, RuleAbout } from './rule';
import { sessionRules } from './session';
import { trafficRules } from './traffic';

/** Their order does not matter: findings are sorted by id. */
export const rules: readonly Rule[] = [
  ...holderRules,
  ...entryRules,
  ...trafficRules,
  ...sessionRules,
  ...deadlockRules,
];

const lockRules = rules.filter((rule): rule is RuleAbout<'lock'> => rule.about === 'lock');
const semaphoreRules = rules.filter((rule): rule is RuleAbout<'semaphore'> => rule.about === 'semaphore');
const rulesOfSessions = rules.filter((rule): rule is RuleAbout<'session'> => rule.about === 'session');

function subjectOf(row: Lock | Semaphore | Session): Subject {
  if (!('kind' in row)) return { kind: 'session', id: row.id };
  return row.kind === 'lock' ? { kind: 'lock', key: row.key } : { kind: 'semaphore', prefix: row.prefix };
}

/** Code and facts belong to one rule, which TypeScript does not follow through the table. */
function finding(
  code: FindingCode,
  found: Found<FindingCode>,
  subject: Subject,
  also: readonly Subject[],
): Finding {
  const { severity, facts, grounds = [], mend } = found;
  const id = `${code} ${subjectId(subject)}`;
  return { id, code, severity, subject, also, facts, grounds: grounds.slice(0, groundsMax), mend } as Finding;
}

function lookAt<T extends Lock | Semaphore | Session>(
  rows: readonly T[],
  applicable: readonly {
    readonly code: FindingCode;
    look(row: T, context: Context): Found<FindingCode> | null;
  }[],
  context: Context,
): Finding[] {
  const findings: Finding[] = [];
  for (const row of rows)
    for (const rule of applicable) {
      const found = rule.look(row, context);
      if (found !== null) findings.push(finding(rule.code, found, subjectOf(row), []));
    }
  return findings;
}

/** All findings of one world, sorted by id in code unit order. */
export function findingsOf(world: World): readonly Finding[] {
  const sessions = new Map(world.sessions.map((session) => [session.id, session]));
  const context: Context = { world, session: (id) => sessions.get(id) ?? null };
  const findings = [
    ...lookAt(world.locks, lockRules, context),
    ...lookAt(world.semaphores, semaphoreRules, context),
    ...lookAt(world.sessions, rulesOfSessions, context),
  ];
  for (const rule of rules)
    if (rule.about === 'world')
      for (const found of rule.look(world, context))
        findings.push(finding(rule.code, found, found.subject, found.also));
  return findings.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
