/** Rules about the coordination entry: what clients stumble over when they read it. */
import type { Semaphore, SemaphoreProblemCode } from '@/lib/domain/model';
import { limitWritten } from '@/lib/domain/written';
import { contenders, evict, ground, type Rule } from './rule';

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

const count = (semaphore: Semaphore) => contenders(semaphore).length;

/** Waiters that came under another limit. A Go client refuses that with a conflict, and its entry stays behind. */
const cameUnderAnother = ({ waiters }: Semaphore) =>
  waiters.filter(({ evidence }) => evidence.some(({ code }) => code === 'limit-changed-while-waiting'));

export const entryRules: readonly Rule[] = [
  {
    code: 'over-limit',
    about: 'semaphore',
    look: (semaphore) => {
      const { layout, limit, recorded, effective, holders } = semaphore;
      if (limit === null || effective === null || effective <= Math.max(limit, 0)) return null;
      return {
        // The Java client tests `limit == holders.size()`: beyond the limit it lets in everybody who asks.
        severity: layout === 'java-semaphore' && (recorded ?? 0) > limit ? 'urgent' : 'warning',
        facts: { effective, limit, layout },
        grounds: holders
          .filter(({ verdict }) => verdict !== 'ghost')
          .map((holder) => ground(holder, evict(semaphore, holder))),
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
      const clients = count(semaphore);
      return {
        severity: clients > 0 ? 'urgent' : 'warning',
        facts: { problem: problem.code, detail: problem.detail, contenders: clients },
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
        facts: { flags: problem.detail ?? semaphore.flags, contenders: clients },
        mend: null,
      };
    },
  },
  {
    code: 'limit-disagreement',
    about: 'semaphore',
    // What a client asks for is known only where it wrote so, or where the limit was seen to change under it.
    look: (semaphore) => {
      const { limit } = semaphore;
      if (limit === null) return null;
      const asking = contenders(semaphore).filter(({ value }) => (limitWritten(value) ?? limit) !== limit);
      const seen = cameUnderAnother(semaphore);
      const all = [...new Set([...asking, ...seen])];
      const [first] = all;
      if (first === undefined) return null;
      const waiting = semaphore.waiters.filter((waiter) => all.includes(waiter)).length;
      return {
        severity: waiting > 0 ? 'warning' : 'notice',
        facts: { limit, asked: limitWritten(asking[0]?.value ?? null), clients: all.length, waiting },
        grounds: all.map((party) => ground(party)),
        mend: null,
      };
    },
  },
];
