/** Rules about holders: what their verdicts mean for whoever needs their lock or slot. */
import type { EndlessVerdict } from '@/lib/domain/finding';
import { holdersWith, unlistedHolders } from '@/lib/domain/holders';
import type { EvidenceCode, Holder, Semaphore, Verdict } from '@/lib/domain/model';
import { countInView, evict, ground, isWaitedFor, type Rule, release } from './rule';

const of = (holders: readonly Holder[], ...verdicts: readonly Verdict[]) =>
  holders.filter(({ verdict }) => verdicts.includes(verdict));

/** Verdicts by which a holder is probably dead. */
const dying = ['overdue', 'suspect'] as const satisfies readonly Verdict[];
const isEndless = (verdict: Verdict): verdict is EndlessVerdict =>
  verdict === 'immortal' || verdict === 'node-bound';
const decisive: ReadonlySet<EvidenceCode> = new Set([
  'no-ttl',
  'no-checks',
  'node-checks-only',
  'bound-to-server',
]);

const grounds = (semaphore: Semaphore, holders: readonly Holder[]) =>
  holders.map((holder) => ground(holder, evict(semaphore, holder)));

export const holderRules: readonly Rule[] = [
  {
    code: 'ghost-slots',
    about: 'semaphore',
    look: (semaphore) => {
      const { prefix, layout, unwritable, recorded, holders, waiters } = semaphore;
      const ghosts = of(holders, 'ghost');
      if (ghosts.length === 0) return null;
      return {
        // A ghost harms somebody once it takes the slot that a waiter needs.
        severity: isWaitedFor(semaphore) ? 'urgent' : 'warning',
        facts: {
          ghosts: holdersWith(semaphore, 'ghost'),
          recorded: recorded ?? holders.length + unlistedHolders(semaphore),
          waiting: countInView(waiters.length, semaphore),
        },
        grounds: ghosts.map((ghost) => ground(ghost)),
        mend: layout === 'unreadable' || unwritable ? null : { type: 'semaphore.prune', prefixes: [prefix] },
      };
    },
  },
  {
    code: 'full-with-doubtful-holder',
    about: 'semaphore',
    look: (semaphore) => {
      const { limit, holders, waiters } = semaphore;
      if (limit === null || !isWaitedFor(semaphore)) return null;
      const doubtful = of(holders, ...dying);
      const [first] = doubtful;
      if (first === undefined) return null;
      return {
        severity: 'urgent',
        facts: { holders: doubtful.length, label: first.label, waiting: waiters.length, limit },
        grounds: grounds(semaphore, doubtful),
        mend: evict(semaphore, first),
      };
    },
  },
  {
    code: 'doubtful-holder-while-others-wait',
    about: 'semaphore',
    look: (semaphore) => {
      const { holders, waiters } = semaphore;
      if (waiters.length === 0) return null;
      const doubtful = holders.filter(({ verdict }) => isEndless(verdict));
      const [first] = doubtful;
      if (first === undefined) return null;
      return {
        // It may well be working: whether its process lives is for a person to find out, so nothing is proposed.
        severity: 'warning',
        facts: { holders: doubtful.length, label: first.label, waiting: waiters.length },
        grounds: grounds(semaphore, doubtful),
        mend: null,
      };
    },
  },
  {
    code: 'overdue-holder',
    about: 'lock',
    look: ({ key, holder }) =>
      holder?.verdict !== 'overdue'
        ? null
        : {
            // Consul frees it by itself, so it is not urgent; whoever cannot wait for that may act.
            severity: 'warning',
            facts: { holders: 1, label: holder.label, waiting: null },
            grounds: [ground(holder)],
            mend: release(key),
          },
  },
  {
    code: 'overdue-holder',
    about: 'semaphore',
    look: (semaphore) => {
      // While others need its slot, `full-with-doubtful-holder` says so with more weight.
      if (isWaitedFor(semaphore)) return null;
      const overdue = of(semaphore.holders, 'overdue');
      const [first] = overdue;
      if (first === undefined) return null;
      return {
        severity: 'warning',
        facts: {
          holders: overdue.length,
          label: first.label,
          waiting: countInView(semaphore.waiters.length, semaphore),
        },
        grounds: grounds(semaphore, overdue),
        mend: evict(semaphore, first),
      };
    },
  },
  {
    code: 'suspect-holder',
    about: 'lock',
    look: ({ key, holder }) => {
      if (holder?.verdict !== 'suspect') return null;
      // Without a TTL, a session that outlived the failure of its node or check is not ended by it any more.
      const endless = holder.expiry.kind === 'never' ? 1 : 0;
      return {
        severity: endless ? 'urgent' : 'warning',
        facts: { holders: 1, label: holder.label, waiting: null, endless },
        grounds: [ground(holder)],
        mend: release(key),
      };
    },
  },
  {
    code: 'suspect-holder',
    about: 'semaphore',
    look: (semaphore) => {
      if (isWaitedFor(semaphore)) return null;
      const suspect = of(semaphore.holders, 'suspect');
      const [first] = suspect;
      if (first === undefined) return null;
      const endless = suspect.some(({ expiry }) => expiry.kind === 'never') ? 1 : 0;
      return {
        severity: 'warning',
        facts: {
          holders: suspect.length,
          label: first.label,
          waiting: countInView(semaphore.waiters.length, semaphore),
          endless,
        },
        grounds: grounds(semaphore, suspect),
        mend: evict(semaphore, first),
      };
    },
  },
  {
    code: 'endless-holder',
    about: 'lock',
    look: ({ holder }) =>
      holder === null || !isEndless(holder.verdict)
        ? null
        : {
            // Who waits for a plain lock is not visible, so nobody can say that anyone is held up.
            severity: 'notice',
            facts: {
              verdict: holder.verdict,
              label: holder.label,
              node: holder.session?.node ?? null,
              waiting: null,
            },
            grounds: [ground(holder, null, decisive)],
            mend: null,
          },
  },
  {
    code: 'endless-holder',
    about: 'semaphore',
    look: ({ holders, waiters, part }) => {
      if (waiters.length > 0) return null;
      const endless = holders.filter(({ verdict }) => isEndless(verdict));
      const first = endless.find(({ verdict }) => verdict === 'immortal') ?? endless[0];
      if (first === undefined || !isEndless(first.verdict)) return null;
      return {
        severity: 'notice',
        facts: {
          verdict: first.verdict,
          label: first.label,
          node: first.session?.node ?? null,
          waiting: countInView(0, { part }),
        },
        grounds: endless.map((holder) => ground(holder, null, decisive)),
        mend: null,
      };
    },
  },
];
