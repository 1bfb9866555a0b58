/**
 * Every rule, and the findings that follow from worlds. To add one: its code and facts in `finding.ts`, a row in the
 * file of its noun, a case in `table.test.ts`, and its sentences, without which the languages do not compile.
 */
import { same } from '@/lib/domain/change';
import { type Finding, type FindingCode, groundsMax } from '@/lib/domain/finding';
import {
  type Lock,
  type Semaphore,
  type Session,
  type Subject,
  subjectId,
  type World,
} from '@/lib/domain/model';
import { compare, find, withRows } from '@/lib/domain/sorted';
import { deadlockRules } from './deadlock';
import { entryRules } from './entry';
import { holderRules } from './holder';
import type { Context, Found, Rule, RuleAbout, RuleOfWorld } from './rule';
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
const rulesOfWorld = rules.filter((rule): rule is RuleOfWorld => rule.about === 'world');

function subjectOf(row: Lock | Semaphore | Session): Subject {
  if (!('kind' in row)) return { kind: 'session', id: row.id };
  return row.kind === 'lock' ? { kind: 'lock', key: row.key } : { kind: 'semaphore', prefix: row.prefix };
}

const none: readonly [] = [];

/** Joined, since a text put together by `+` keeps its parts beside the whole. */
const findingId = (code: FindingCode, subject: Subject) => [code, subjectId(subject)].join(' ');

/** Code and facts belong to one rule, which TypeScript does not follow through the table. */
function finding(
  id: string,
  code: FindingCode,
  found: Found<FindingCode>,
  subject: Subject,
  also: readonly Subject[],
): Finding {
  const { severity, facts, grounds: all = none, mend } = found;
  const grounds = all.length > groundsMax ? all.slice(0, groundsMax) : all;
  return { id, code, severity, subject, also, facts, grounds, mend } as Finding;
}

interface Applicable<T> {
  readonly code: FindingCode;
  look(row: T, context: Context): Found<FindingCode> | null;
}

const nothing: World = { locks: [], semaphores: [], sessions: [] };
const keyOf = ({ key }: Lock) => key;
const prefixOf = ({ prefix }: Semaphore) => prefix;
const idOf = ({ id }: Session) => id;

/**
 * Findings of one world after another. What a rule says of a lock, a semaphore or a session follows from that row and, for
 * a lock, from the session that holds it; so it looks again at rows that are other objects than before, and at locks
 * whose session is. Rules about the whole world look again when a semaphore has changed, and while they find something.
 */
export function createFindings(): (world: World) => readonly Finding[] {
  let before = nothing;
  let findings: readonly Finding[] = [];
  let ofWorld: readonly string[] = [];

  return (world) => {
    const context: Context = { world, session: (id) => find(world.sessions, id, idOf) ?? null };
    const changes = new Map<string, Finding | null>();
    /** Ids of findings belong to one subject each, so that none of another row is touched. */
    const lookAt = <T extends Lock | Semaphore | Session>(
      rules: readonly Applicable<T>[],
      was: T | null,
      is: T | null,
    ) => {
      const subject = subjectOf((is ?? was) as T);
      for (const rule of rules) {
        const found = is === null ? null : rule.look(is, context);
        // Nothing was found of a row that was not there.
        if (found === null && was === null) continue;
        const id = findingId(rule.code, subject);
        changes.set(id, found === null ? null : finding(id, rule.code, found, subject, none));
      }
    };
    const held = new Set<string>();
    compare(before.locks, world.locks, keyOf, (was, is) => lookAt(lockRules, was, is));
    compare(before.semaphores, world.semaphores, prefixOf, (was, is) => lookAt(semaphoreRules, was, is));
    compare(before.sessions, world.sessions, idOf, (was, is) => {
      lookAt(rulesOfSessions, was, is);
      if (was?.lockDelayMs === is?.lockDelayMs) return;
      for (const subject of [...(was?.holds ?? []), ...(is?.holds ?? [])])
        if (subject.kind === 'lock') held.add(subject.key);
    });
    for (const key of held) {
      const lock = find(world.locks, key, keyOf);
      if (lock !== undefined) lookAt(lockRules, lock, lock);
    }
    if (before.scope !== world.scope) for (const one of world.sessions) lookAt(rulesOfSessions, one, one);

    if (ofWorld.length > 0 || before.semaphores !== world.semaphores) {
      for (const id of ofWorld) changes.set(id, null);
      const found = rulesOfWorld.flatMap((rule) =>
        rule
          .look(world, context)
          .map((one) => finding(findingId(rule.code, one.subject), rule.code, one, one.subject, one.also)),
      );
      for (const one of found) changes.set(one.id, one);
      ofWorld = found.map(({ id }) => id);
    }
    for (const [id, is] of changes) {
      const was = find(findings, id, ({ id }) => id);
      if (is !== null && was !== undefined && same(was, is)) changes.set(id, was);
    }
    findings = withRows(findings, changes, ({ id }) => id);
    before = world;
    return findings;
  };
}

/** All findings of one world, sorted by id in code unit order. */
export function findingsOf(world: World): readonly Finding[] {
  return createFindings()(world);
}
