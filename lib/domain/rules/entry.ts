/** Rules about flaws of the coordination entry that clients trip over. */

import { limitWritten } from '@/lib/domain/contender-note';
import type { Severity } from '@/lib/domain/findings/finding';
import { namedHolders } from '@/lib/domain/holders';
import type { Semaphore, SemaphoreProblem, SemaphoreProblemCode } from '@/lib/domain/model';
import { contenders, countInView, evict, ground, type Rule } from './rule';

/**
 * Clients fail or admit too many; they ignore other problems. Go's client was tested with each
 * (`quality/truth/shapes.ts`).
 */
const breaking: ReadonlySet<SemaphoreProblemCode> = new Set([
  'not-json',
  'not-an-object',
  'limit-missing',
  'limit-not-integer',
  'limit-below-one',
  'holders-missing',
  'holders-wrong-type',
  'duplicate-holders',
]);

const count = (semaphore: Semaphore) => contenders(semaphore).length;

/** `null`: harmless. */
function severityOf({ code }: SemaphoreProblem, clients: number): Severity | null {
  if (breaking.has(code)) return clients > 0 ? 'urgent' : 'warning';
  // Go's next client takes it for a new semaphore and writes it; a present client that does not is of another kind.
  if (code === 'empty-value') return clients > 0 ? 'urgent' : null;
  // Go uses the last one and continues.
  return code === 'duplicate-fields' ? 'warning' : null;
}

function gravest({ problems }: Semaphore, clients: number) {
  const reported = problems.flatMap((problem) => {
    const severity = severityOf(problem, clients);
    return severity === null ? [] : [{ problem, severity }];
  });
  return reported.find(({ severity }) => severity === 'urgent') ?? reported[0];
}

/** A Go client refuses another limit with a conflict, and leaves its entry behind. */
const cameUnderAnother = ({ waiters }: Semaphore) =>
  waiters.filter(({ evidence }) => evidence.some(({ code }) => code === 'limit-changed-while-waiting'));

export const entryRules: readonly Rule[] = [
  {
    code: 'over-limit',
    about: 'semaphore',
    look: (semaphore) => {
      const { layout, limit, limitBasis, recorded, effective, holders } = semaphore;
      // A limit that was inferred from the holders is no measure for them.
      if (limitBasis === 'inferred' || limitBasis === 'at-least') return null;
      if (limit === null || effective === null || effective <= Math.max(limit, 0)) return null;
      return {
        // The Java client tests `limit == holders.size()`: beyond the limit it admits every client.
        severity: layout === 'java-semaphore' && (recorded ?? 0) > limit ? 'urgent' : 'warning',
        facts: { effective, limit, layout },
        grounds: holders
          .filter(({ verdict }) => verdict !== 'ghost')
          .map((holder) => ground(semaphore, holder, evict(semaphore, holder))),
        mend: null,
      };
    },
  },
  {
    code: 'unreadable-entry',
    about: 'semaphore',
    look: (semaphore) => {
      const clients = count(semaphore);
      const found = gravest(semaphore, clients);
      if (found === undefined) return null;
      const { problem, severity } = found;
      const named = namedHolders(semaphore);
      return {
        severity,
        facts: {
          problem: problem.code,
          detail: problem.detail,
          contenders: countInView(clients, semaphore),
          named,
        },
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
      const clients = count(semaphore);
      return {
        severity: clients > 0 ? 'urgent' : 'warning',
        facts: {
          flags: problem.detail ?? semaphore.flags ?? null,
          contenders: countInView(clients, semaphore),
        },
        mend: null,
      };
    },
  },
  {
    code: 'limit-disagreement',
    about: 'semaphore',
    // A client's own limit is known only from its entry, or when the limit was seen to change under it.
    look: (semaphore) => {
      const { limit } = semaphore;
      if (limit === null) return null;
      const disagreeing = contenders(semaphore).filter(
        ({ value }) => (limitWritten(value) ?? limit) !== limit,
      );
      const seen = cameUnderAnother(semaphore);
      const all = [...new Set([...disagreeing, ...seen])];
      const [first] = all;
      if (first === undefined) return null;
      const waiting = semaphore.waiters.filter((waiter) => all.includes(waiter)).length;
      return {
        severity: waiting > 0 ? 'warning' : 'notice',
        facts: { limit, asked: limitWritten(disagreeing[0]?.value ?? null), clients: all.length, waiting },
        grounds: all.map((party) => ground(semaphore, party)),
        mend: null,
      };
    },
  },
];
