/**
 * Every rule, and the findings that follow from worlds. To add one: its code and facts in `finding.ts`, a row in the
 * file of its noun, a case in `table.test.ts`, and its sentences.
 */

import { type Finding, type FindingCode, groundsMax } from '@/lib/domain/findings/finding';
import {
  type Lock,
  type Semaphore,
  type Session,
  type Subject,
  subjectId,
  type World,
} from '@/lib/domain/model';
import { finish, type Steps } from '@/lib/domain/sliced-work';
import { comparing, find, withRows } from '@/lib/domain/sorted';
import { lockName, semaphoreName, sessionName, subjectOf } from '@/lib/domain/subject';
import { same } from '@/lib/domain/world/change';
import { deadlockRules } from './deadlock';
import { entryRules } from './entry';
import { holderRules } from './holder';
import { queueRules } from './queue';
import type { Context, Rule, RuleAbout, RuleOfWorld, RuleResult } from './rule';
import { sessionRules } from './session';
import { trafficRules } from './traffic';

/** Findings are sorted by id. */
export const rules: readonly Rule[] = [
  ...holderRules,
  ...entryRules,
  ...queueRules,
  ...trafficRules,
  ...sessionRules,
  ...deadlockRules,
];

const lockRules = rules.filter((rule): rule is RuleAbout<'lock'> => rule.about === 'lock');
const semaphoreRules = rules.filter((rule): rule is RuleAbout<'semaphore'> => rule.about === 'semaphore');
const rulesOfSessions = rules.filter((rule): rule is RuleAbout<'session'> => rule.about === 'session');
const rulesOfWorld = rules.filter((rule): rule is RuleOfWorld => rule.about === 'world');

const none: readonly [] = [];

/** A text built with `+` keeps its parts in memory beside the whole. */
const findingId = (code: FindingCode, subject: Subject) => [code, subjectId(subject)].join(' ');

/** Code and facts belong to one rule, which TypeScript does not follow through the table. */
function finding(
  id: string,
  code: FindingCode,
  result: RuleResult<FindingCode>,
  subject: Subject,
  also: readonly Subject[],
): Finding {
  const { severity, facts, grounds: all = none, mend } = result;
  const grounds = all.length > groundsMax ? all.slice(0, groundsMax) : all;
  return { id, code, severity, easing: null, subject, also, facts, grounds, mend } as Finding;
}

interface Applicable<T> {
  readonly code: FindingCode;
  look(row: T, context: Context): RuleResult<FindingCode> | null;
}

const idOf = ({ id }: Finding) => id;
const byId = (a: Finding, b: Finding) => (a.id < b.id ? -1 : 1);

const contextOf = (world: World): Context => ({
  world,
  session: (of) => find(world.sessions, sessionName(of), sessionName) ?? null,
});

function findingsAbout<T extends Lock | Semaphore | Session>(
  rules: readonly Applicable<T>[],
  row: T | null,
  context: Context,
): readonly Finding[] {
  if (row === null) return none;
  let findings: Finding[] | null = null;
  for (const rule of rules) {
    const result = rule.look(row, context);
    if (result === null) continue;
    const subject = subjectOf(row);
    findings ??= [];
    findings.push(finding(findingId(rule.code, subject), rule.code, result, subject, none));
  }
  return findings ?? none;
}

const findingsOfAll = (world: World, context: Context): readonly Finding[] =>
  rulesOfWorld.flatMap((rule) =>
    rule
      .look(world, context)
      .map((one) => finding(findingId(rule.code, one.subject), rule.code, one, one.subject, one.also)),
  );

/** Sorted by id in code unit order. */
export function findingsOf(world: World): readonly Finding[] {
  const context = contextOf(world);
  /** Each in the order of its subjects, so the sort has hardly any work. */
  const byCode = new Map<FindingCode, Finding[]>();
  const add = (findings: readonly Finding[]) => {
    for (const one of findings) {
      const known = byCode.get(one.code);
      if (known === undefined) byCode.set(one.code, [one]);
      else known.push(one);
    }
  };
  for (const row of world.locks) add(findingsAbout(lockRules, row, context));
  for (const row of world.semaphores) add(findingsAbout(semaphoreRules, row, context));
  for (const row of world.sessions) add(findingsAbout(rulesOfSessions, row, context));
  add(findingsOfAll(world, context));
  const codes = [...byCode.keys()].sort();
  return codes.flatMap((code) => byCode.get(code) ?? []).sort(byId);
}

/** A finding before and after; `null` where there is none. Both may be equal. */
export interface FindingMoved {
  readonly was: Finding | null;
  readonly is: Finding | null;
}

const nothing: World = { locks: [], semaphores: [], sessions: [] };

/**
 * The changes of findings from one world to the next, sorted by id. It keeps no findings: it compares changed rows, and
 * locks whose session changed, before and after. Rules about the whole world run again when a semaphore has changed,
 * and while they find something.
 */
export function createFindingChanges(): (world: World) => readonly FindingMoved[] {
  const changesOf = createFindingSteps();
  return (world) => finish(changesOf(world));
}

/** As `createFindingChanges`, in steps. */
export function createFindingSteps(): (world: World) => Steps<readonly FindingMoved[]> {
  let before = nothing;
  let ofAll: readonly Finding[] = none;

  return function* (world) {
    const moved = new Map<string, FindingMoved>();
    const [then, now] = [contextOf(before), contextOf(world)];
    /** A finding's id belongs to one subject, so no other row is touched. */
    const record = (were: readonly Finding[], are: readonly Finding[]) => {
      for (const was of were) moved.set(was.id, { was, is: null });
      for (const is of are) moved.set(is.id, { was: moved.get(is.id)?.was ?? null, is });
    };
    const lookAt = <T extends Lock | Semaphore | Session>(
      rules: readonly Applicable<T>[],
      was: T | null,
      is: T | null,
    ) => record(findingsAbout(rules, was, then), findingsAbout(rules, is, now));
    const lockNames = new Set<string>();
    yield* comparing(before.locks, world.locks, lockName, (was, is) => lookAt(lockRules, was, is));
    yield* comparing(before.semaphores, world.semaphores, semaphoreName, (was, is) =>
      lookAt(semaphoreRules, was, is),
    );
    yield* comparing(before.sessions, world.sessions, sessionName, (was, is) => {
      lookAt(rulesOfSessions, was, is);
      if (was?.lockDelayMs === is?.lockDelayMs) return;
      for (const subject of [...(was?.holds ?? []), ...(is?.holds ?? [])])
        if (subject.kind === 'lock') lockNames.add(lockName(subject));
    });
    for (const key of lockNames)
      lookAt(lockRules, find(before.locks, key, lockName) ?? null, find(world.locks, key, lockName) ?? null);
    if (before.scope !== world.scope)
      for (const one of world.sessions)
        lookAt(rulesOfSessions, find(before.sessions, sessionName(one), sessionName) ?? null, one);
    if (ofAll.length > 0 || before.semaphores !== world.semaphores) {
      const next = findingsOfAll(world, now);
      record(ofAll, next);
      ofAll = next;
    }
    before = world;
    return [...moved.keys()].sort().map((id) => moved.get(id) as FindingMoved);
  };
}

/** Equal findings stay the same object. */
export function createFindings(): (world: World) => readonly Finding[] {
  const changesOf = createFindingChanges();
  let findings: readonly Finding[] = none;
  return (world) => {
    const changes = new Map<string, Finding | null>();
    for (const { was, is } of changesOf(world))
      if (was === null || is === null || !same(was, is)) changes.set((is ?? was)?.id ?? '', is);
    findings = withRows(findings, changes, idOf);
    return findings;
  };
}
