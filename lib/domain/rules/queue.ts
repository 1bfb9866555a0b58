/** Rules about queues that do not move although nothing is in the way. */
import { removeLockWaiter, wakeWaiters } from '@/lib/domain/actions/lock';
import { removeSemaphoreWaiter } from '@/lib/domain/actions/semaphore';
import { capabilities } from '@/lib/domain/capabilities';
import type { FindingFacts } from '@/lib/domain/findings/finding';
import type { Lock, Semaphore, Waiter } from '@/lib/domain/model';
import { lockSubject } from '@/lib/domain/subject';
import { ground, type Rule, type RuleResult } from './rule';

const isFree = (of: Lock | Semaphore): boolean =>
  of.kind === 'lock'
    ? of.state === 'free'
    : of.limit !== null && of.recorded !== null && of.recorded < of.limit;

const removal = (of: Lock | Semaphore, { sessionId }: Waiter) =>
  !capabilities[of.layout].removesWaiters || of.unwritable
    ? null
    : of.kind === 'lock'
      ? removeLockWaiter(of, sessionId)
      : removeSemaphoreWaiter(of, sessionId);

/**
 * Redisson's and Curator's fair queues grant only to their first entry, so all waiters behind a dead one wait for it.
 */
function deadHead(of: Lock | Semaphore): RuleResult<'dead-queue-head'> | null {
  const [first, ...behind] = of.waiters ?? [];
  if (first?.verdict !== 'ghost' || capabilities[of.layout].waiters !== 'queue') return null;
  const alive = behind.filter(({ verdict }) => verdict !== 'ghost').length;
  const facts: FindingFacts['dead-queue-head'] = {
    label: first.label,
    behind: alive,
    free: isFree(of) ? 1 : 0,
  };
  const dead = [first, ...behind.filter(({ verdict }) => verdict === 'ghost')];
  return {
    // A single entry in the queue of a held lock blocks no other yet.
    severity: alive > 0 || facts.free ? 'urgent' : 'warning',
    facts,
    grounds: dead.map((one) => ground(of, one, removal(of, one))),
    mend: removal(of, first),
  };
}

const waking = (lock: Lock) =>
  capabilities[lock.layout].wakes && !lock.unwritable ? wakeWaiters(lock) : null;

export const queueRules: readonly Rule[] = [
  { code: 'dead-queue-head', about: 'lock', look: deadHead },
  { code: 'dead-queue-head', about: 'semaphore', look: deadHead },
  {
    code: 'sleeping-waiters',
    about: 'lock',
    look: (lock) => {
      const { state, waitingClients: waiting = 0 } = lock;
      if (state !== 'free' || waiting === 0) return null;
      return { severity: 'warning', facts: { waiting }, mend: waking(lock) };
    },
  },
  {
    code: 'sleeping-readers',
    about: 'lock',
    look: (lock) => {
      if (lock.unwoken === undefined) return null;
      const { clients: waiting, evidence } = lock.unwoken;
      const mend = waking(lock);
      const own = { subject: lockSubject(lock), label: null, verdict: null, evidence, wants: [], mend };
      return { severity: 'warning', facts: { waiting }, grounds: [own], mend };
    },
  },
];
