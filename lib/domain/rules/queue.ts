/** Rules about queues in which nobody moves although nothing is in the way. */
import { removeLockWaiter, wakeWaiters } from '@/lib/domain/actions/lock';
import { removeSemaphoreWaiter } from '@/lib/domain/actions/semaphore';
import { capabilities } from '@/lib/domain/capabilities';
import type { FindingFacts } from '@/lib/domain/findings/finding';
import type { Lock, Semaphore, Waiter } from '@/lib/domain/model';
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

/** Redisson's fair queue grants to its first entry alone, so does Curator's: everybody behind a dead one waits for it. */
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
    // Alone in the queue of a held lock it is in nobody's way yet.
    severity: alive > 0 || facts.free ? 'urgent' : 'warning',
    facts,
    grounds: dead.map((one) => ground(of, one, removal(of, one))),
    mend: removal(of, first),
  };
}

export const queueRules: readonly Rule[] = [
  { code: 'dead-queue-head', about: 'lock', look: deadHead },
  { code: 'dead-queue-head', about: 'semaphore', look: deadHead },
  {
    code: 'sleeping-waiters',
    about: 'lock',
    look: (lock) => {
      const { layout, state, waitingClients: waiting = 0, unwritable } = lock;
      if (state !== 'free' || waiting === 0) return null;
      const canWake = capabilities[layout].wakes && !unwritable;
      return { severity: 'warning', facts: { waiting }, mend: canWake ? wakeWaiters(lock) : null };
    },
  },
];
