/**
 * Findings: what needs a human. Each rule is a row of `rules`: it looks at one lock, semaphore or session and says
 * what it found, with the facts for the sentence and the action that mends it. A newcomer adds a rule by adding a
 * code, a row here and a case in `finding.test.ts`; the interface's sentences fail to compile until they name it.
 *
 * Red is for a human needed now: waiting is not urgent, and full is not urgent. A dead holder with people waiting is.
 */
import type { Action } from './action';
import {
  type Holder,
  type Lock,
  type Semaphore,
  type SemaphoreProblemCode,
  type Session,
  type Subject,
  subjectId,
  type World,
} from './model';

/**
 * Each code with its facts, by name:
 * - `ghost-slots`: `ghosts`, `recorded` (holders), `waiting`. Recorded holders lock nothing there.
 * - `over-limit`: `effective`, `limit`. More holders are really there than the limit allows.
 * - `full-with-doubtful-holder`: `holders` (overdue or suspect), `label` of the first, `waiting`, `limit`.
 * - `doubtful-holder-while-others-wait`: `holders` (immortal or node-bound), `label` of the first, `waiting`.
 * - `unreadable-entry`: `problem` (a `SemaphoreProblemCode`), `detail` ('' for none), `contenders`.
 * - `wrong-flags`: `flags` (as found, decimal text; '' for none), `contenders`.
 * - `no-lock-delay`: `label` of the holder.
 * - `session-leak`: `name` ('' for none), `node`.
 */
export type FindingCode =
  | 'ghost-slots'
  | 'over-limit'
  | 'full-with-doubtful-holder'
  | 'doubtful-holder-while-others-wait'
  | 'unreadable-entry'
  | 'wrong-flags'
  | 'no-lock-delay'
  | 'session-leak';

export interface Finding {
  /** Stable while the finding lasts: code and subject. */
  readonly id: string;
  readonly code: FindingCode;
  /** `urgent`: someone waits for something that will not come by itself, or clients fail. */
  readonly severity: 'urgent' | 'warning' | 'notice';
  readonly subject: Subject;
  /** Values for the sentence by name; `FindingCode` lists them for each code. */
  readonly facts: Readonly<Record<string, string | number>>;
  /** The action that mends it; `null` where only the owner of the clients can. */
  readonly mend: Action | null;
}

/** What a rule says of one subject. */
type Found = Pick<Finding, 'severity' | 'facts' | 'mend'>;

interface Context {
  readonly world: World;
  session(id: string): Session | null;
}

interface Look<K extends Subject['kind'], T> {
  readonly code: FindingCode;
  readonly about: K;
  /** What is wrong with this one, or `null`. Called for every one after every change, so it must be cheap. */
  look(row: T, context: Context): Found | null;
}

export type Rule = Look<'lock', Lock> | Look<'semaphore', Semaphore> | Look<'session', Session>;

/** Problems that make clients fail or admit too many, as against those that they step over. */
const breaking: ReadonlySet<SemaphoreProblemCode> = new Set([
  'empty-value',
  'not-json',
  'not-an-object',
  'limit-missing',
  'limit-not-integer',
  'limit-below-one',
  'holders-missing',
  'holders-wrong-type',
  'duplicate-holders',
  'duplicate-fields',
]);

const evict = (prefix: string, holder: Holder | undefined): Action | null =>
  holder === undefined
    ? null
    : { type: 'semaphore.evict', prefix, sessionId: holder.sessionId, how: 'destroy-session' };

const contenders = ({ holders, waiters }: Semaphore) =>
  waiters.length + holders.filter((holder) => holder.verdict !== 'ghost').length;

/** Every rule. Their order does not matter: findings are sorted by id. */
export const rules: readonly Rule[] = [
  {
    code: 'ghost-slots',
    about: 'semaphore',
    look: ({ prefix, layout, limit, recorded, holders, waiters }) => {
      const ghosts = holders.filter((holder) => holder.verdict === 'ghost').length;
      if (ghosts === 0) return null;
      // A ghost harms somebody once it takes the slot that a waiter needs.
      const full = limit !== null && recorded !== null && recorded >= limit;
      return {
        severity: full && waiters.length > 0 ? 'urgent' : 'warning',
        facts: { ghosts, recorded: recorded ?? holders.length, waiting: waiters.length },
        mend: layout === 'unreadable' ? null : { type: 'semaphore.prune', prefixes: [prefix] },
      };
    },
  },
  {
    code: 'over-limit',
    about: 'semaphore',
    look: ({ limit, effective }) =>
      limit === null || effective === null || effective <= Math.max(limit, 0)
        ? null
        : { severity: 'warning', facts: { effective, limit }, mend: null },
  },
  {
    code: 'full-with-doubtful-holder',
    about: 'semaphore',
    look: ({ prefix, limit, recorded, holders, waiters }) => {
      if (waiters.length === 0 || limit === null || recorded === null || recorded < limit) return null;
      const doubtful = holders.filter(({ verdict }) => verdict === 'overdue' || verdict === 'suspect');
      const [first] = doubtful;
      if (first === undefined) return null;
      return {
        severity: 'urgent',
        facts: { holders: doubtful.length, label: first.label, waiting: waiters.length, limit },
        mend: evict(prefix, first),
      };
    },
  },
  {
    code: 'doubtful-holder-while-others-wait',
    about: 'semaphore',
    look: ({ holders, waiters }) => {
      if (waiters.length === 0) return null;
      const doubtful = holders.filter(({ verdict }) => verdict === 'immortal' || verdict === 'node-bound');
      const [first] = doubtful;
      if (first === undefined) return null;
      return {
        // It may well be working: whether its process lives is for a person to find out, so nothing is proposed.
        severity: 'warning',
        facts: { holders: doubtful.length, label: first.label, waiting: waiters.length },
        mend: null,
      };
    },
  },
  {
    code: 'unreadable-entry',
    about: 'semaphore',
    look: (semaphore) => {
      const problem = semaphore.problems.find(({ code }) => breaking.has(code));
      if (problem === undefined) return null;
      const clients = contenders(semaphore);
      return {
        severity: clients > 0 ? 'urgent' : 'warning',
        facts: { problem: problem.code, detail: problem.detail ?? '', contenders: clients },
        mend: null,
      };
    },
  },
  {
    code: 'wrong-flags',
    about: 'semaphore',
    look: (semaphore) => {
      const problem = semaphore.problems.find(({ code }) => code === 'wrong-flags');
      if (problem === undefined) return null;
      const clients = contenders(semaphore);
      return {
        severity: clients > 0 ? 'urgent' : 'warning',
        facts: { flags: problem.detail ?? semaphore.flags ?? '', contenders: clients },
        mend: null,
      };
    },
  },
  {
    code: 'no-lock-delay',
    about: 'lock',
    look: ({ holder }, { session }) =>
      holder === null || session(holder.sessionId)?.lockDelayMs !== 0
        ? null
        : { severity: 'notice', facts: { label: holder.label }, mend: null },
  },
  {
    code: 'session-leak',
    about: 'session',
    look: ({ id, ttlMs, holds, wants, name, node }, { world }) =>
      // In a part of the backend, a session that seems to hold nothing may hold something elsewhere.
      world.scope !== 'whole' || ttlMs !== null || holds.length > 0 || wants.length > 0
        ? null
        : {
            severity: 'notice',
            facts: { name, node },
            mend: { type: 'session.destroy', sessionId: id },
          },
  },
];

function subjectOf(row: Lock | Semaphore | Session): Subject {
  if (!('kind' in row)) return { kind: 'session', id: row.id };
  return row.kind === 'lock' ? { kind: 'lock', key: row.key } : { kind: 'semaphore', prefix: row.prefix };
}

/** All findings of one world, sorted by id in code unit order. */
export function findingsOf(world: World): readonly Finding[] {
  const sessions = new Map(world.sessions.map((session) => [session.id, session]));
  const context: Context = { world, session: (id) => sessions.get(id) ?? null };
  const findings: Finding[] = [];
  const look = <T extends Lock | Semaphore | Session>(
    rows: readonly T[],
    applicable: readonly { readonly code: FindingCode; look(row: T, context: Context): Found | null }[],
  ) => {
    for (const row of rows)
      for (const rule of applicable) {
        const found = rule.look(row, context);
        if (found === null) continue;
        const subject = subjectOf(row);
        findings.push({ id: `${rule.code} ${subjectId(subject)}`, code: rule.code, subject, ...found });
      }
  };
  look(
    world.locks,
    rules.filter((rule) => rule.about === 'lock'),
  );
  look(
    world.semaphores,
    rules.filter((rule) => rule.about === 'semaphore'),
  );
  look(
    world.sessions,
    rules.filter((rule) => rule.about === 'session'),
  );
  return findings.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
