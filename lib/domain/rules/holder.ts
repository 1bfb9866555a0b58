/** Rules about holders: the effect of their verdicts on the waiters. */
import { release } from '@/lib/domain/actions/lock';
import { prune } from '@/lib/domain/actions/semaphore';
import type { EndlessVerdict, Severity } from '@/lib/domain/findings/finding';
import { holdersWith, unlistedHolders } from '@/lib/domain/holders';
import type { EvidenceCode, Holder, Semaphore, Verdict } from '@/lib/domain/model';
import { countInView, evict, ground, isWaitedFor, type Rule } from './rule';

const of = (holders: readonly Holder[], ...verdicts: readonly Verdict[]) =>
  holders.filter(({ verdict }) => verdicts.includes(verdict));

const isEndless = (verdict: Verdict): verdict is EndlessVerdict =>
  verdict === 'immortal' || verdict === 'node-bound';
const decisive: ReadonlySet<EvidenceCode> = new Set([
  'no-ttl',
  'no-checks',
  'node-checks-only',
  'bound-to-server',
]);

/** A dead holder does harm when a waiter needs its slot. */
const severityOf = (semaphore: Semaphore): Severity => (isWaitedFor(semaphore) ? 'urgent' : 'warning');

/** The code stays the same when waiters come and go: one situation is one finding (0056). */
const wanted = (semaphore: Semaphore) => ({
  waiting: countInView(semaphore.waiters.length, semaphore),
  full: isWaitedFor(semaphore) ? (1 as const) : (0 as const),
});

const grounds = (semaphore: Semaphore, holders: readonly Holder[]) =>
  holders.map((holder) => ground(semaphore, holder, evict(semaphore, holder)));

export const holderRules: readonly Rule[] = [
  {
    code: 'ghost-slots',
    about: 'semaphore',
    look: (semaphore) => {
      const { source, prefix, layout, unwritable, recorded, holders, waiters } = semaphore;
      const ghosts = of(holders, 'ghost');
      if (ghosts.length === 0) return null;
      return {
        severity: severityOf(semaphore),
        facts: {
          ghosts: holdersWith(semaphore, 'ghost'),
          recorded: recorded ?? holders.length + unlistedHolders(semaphore),
          waiting: countInView(waiters.length, semaphore),
        },
        grounds: ghosts.map((ghost) => ground(semaphore, ghost)),
        mend: layout === 'unreadable' || unwritable ? null : prune(source, [prefix]),
      };
    },
  },
  {
    code: 'overdue-holder',
    about: 'lock',
    look: (lock) =>
      lock.holder?.verdict !== 'overdue'
        ? null
        : {
            // Consul will free it, so it is not urgent.
            severity: 'warning',
            facts: { holders: 1, label: lock.holder.label, waiting: null, full: 0 },
            grounds: [ground(lock, lock.holder)],
            mend: release(lock),
          },
  },
  {
    code: 'overdue-holder',
    about: 'semaphore',
    look: (semaphore) => {
      const overdue = of(semaphore.holders, 'overdue');
      const [first] = overdue;
      if (first === undefined) return null;
      return {
        severity: severityOf(semaphore),
        facts: { holders: overdue.length, label: first.label, ...wanted(semaphore) },
        grounds: grounds(semaphore, overdue),
        mend: evict(semaphore, first),
      };
    },
  },
  {
    code: 'suspect-holder',
    about: 'lock',
    look: (lock) => {
      const { holder } = lock;
      if (holder?.verdict !== 'suspect') return null;
      // Without a TTL, a session that outlived the failure of its node or check no longer ends by it.
      const endless = holder.expiry.kind === 'never' ? 1 : 0;
      return {
        severity: endless ? 'urgent' : 'warning',
        facts: { holders: 1, label: holder.label, waiting: null, full: 0, endless },
        grounds: [ground(lock, holder)],
        mend: release(lock),
      };
    },
  },
  {
    code: 'suspect-holder',
    about: 'semaphore',
    look: (semaphore) => {
      const suspect = of(semaphore.holders, 'suspect');
      const [first] = suspect;
      if (first === undefined) return null;
      const endless = suspect.some(({ expiry }) => expiry.kind === 'never') ? 1 : 0;
      return {
        severity: severityOf(semaphore),
        facts: { holders: suspect.length, label: first.label, ...wanted(semaphore), endless },
        grounds: grounds(semaphore, suspect),
        mend: evict(semaphore, first),
      };
    },
  },
  {
    code: 'endless-holder',
    about: 'lock',
    look: ({ source, holder }) =>
      holder === null || !isEndless(holder.verdict)
        ? null
        : {
            // Who waits for a plain lock is invisible, so a wait cannot be ruled out. A node ends the other kind.
            severity: holder.verdict === 'immortal' ? 'warning' : 'notice',
            facts: {
              holders: 1,
              verdict: holder.verdict,
              label: holder.label,
              node: holder.session?.node ?? null,
              waiting: null,
            },
            grounds: [ground({ source }, holder, null, decisive)],
            mend: null,
          },
  },
  {
    code: 'endless-holder',
    about: 'semaphore',
    look: (semaphore) => {
      const { holders, waiters } = semaphore;
      const endless = holders.filter(({ verdict }) => isEndless(verdict));
      const first = endless.find(({ verdict }) => verdict === 'immortal') ?? endless[0];
      if (first === undefined || !isEndless(first.verdict)) return null;
      return {
        // Only a person can check its process, so no action is proposed.
        severity: waiters.length > 0 ? 'warning' : 'notice',
        facts: {
          holders: endless.length,
          verdict: first.verdict,
          label: first.label,
          node: first.session?.node ?? null,
          waiting: countInView(waiters.length, semaphore),
        },
        grounds: endless.map((holder) => ground(semaphore, holder, evict(semaphore, holder), decisive)),
        mend: null,
      };
    },
  },
];
