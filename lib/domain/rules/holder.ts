/** Rules about holders: the effect of their verdicts on the waiters. */
import { isOnServer } from '@/lib/domain/actions/risk';
import { prune } from '@/lib/domain/actions/semaphore';
import { capabilities, waitingOf } from '@/lib/domain/capabilities';
import type { EndlessVerdict, Severity } from '@/lib/domain/findings/finding';
import { holdersOf, holdersWith, unlistedHolders } from '@/lib/domain/holders';
import type { EvidenceCode, Holder, Lock, Semaphore, Verdict } from '@/lib/domain/model';
import { evict, ground, isWaitedFor, type Rule, releaseOf, waitersInView } from './rule';

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

/** The node that the session ends with. That of a server is not the holder's machine. */
const endingNode = (holder: Holder): { readonly node: string | null; readonly onServer: 0 | 1 } =>
  isOnServer(holder) ? { node: null, onServer: 1 } : { node: holder.session?.node ?? null, onServer: 0 };

const holdsOf = ({ layout }: Lock | Semaphore) => capabilities[layout].holds;

const lost: ReadonlySet<EvidenceCode> = new Set(['redis-thread-lost']);

/** The facts of a session decide; those of a lease or an entry are few. */
const decisiveOf = (of: Lock | Semaphore) => (holdsOf(of) === 'session' ? decisive : null);

/** A dead holder does harm when a waiter needs its slot. */
const severityOf = (semaphore: Semaphore): Severity => (isWaitedFor(semaphore) ? 'urgent' : 'warning');

/** The next client sweeps an expired lease, so it harms only sleeping clients. */
const severityOfGhosts = (semaphore: Semaphore): Severity =>
  holdsOf(semaphore) !== 'lease'
    ? severityOf(semaphore)
    : (waitingOf(semaphore) ?? 0) > 0
      ? 'warning'
      : 'notice';

/** The code stays the same when waiters come and go: one situation is one finding (0056). */
const wanted = (semaphore: Semaphore) => ({
  waiting: waitersInView(semaphore),
  full: isWaitedFor(semaphore) ? (1 as const) : (0 as const),
});

const groundsOf = (of: Lock | Semaphore, holders: readonly Holder[]) =>
  holders.map((holder) => ground(of, holder, of.kind === 'lock' ? releaseOf(of, holder) : evict(of, holder)));

/** A lock's one holder is on the button of the finding itself. */
const lockGrounds = (lock: Lock, holders: readonly Holder[]) =>
  holders.length > 1 ? groundsOf(lock, holders) : holders.map((holder) => ground(lock, holder));

export const holderRules: readonly Rule[] = [
  {
    code: 'ghost-slots',
    about: 'semaphore',
    look: (semaphore) => {
      const { source, prefix, layout, unwritable, recorded, holders } = semaphore;
      const ghosts = of(holders, 'ghost');
      if (ghosts.length === 0) return null;
      const canPrune = layout !== 'unreadable' && !unwritable && capabilities[layout].releases;
      return {
        severity: severityOfGhosts(semaphore),
        facts: {
          ghosts: holdersWith(semaphore, 'ghost'),
          recorded: recorded ?? holders.length + unlistedHolders(semaphore),
          waiting: waitersInView(semaphore),
          holds: holdsOf(semaphore),
        },
        grounds: ghosts.map((ghost) => ground(semaphore, ghost)),
        mend: canPrune ? prune(source, [prefix]) : null,
      };
    },
  },
  {
    code: 'overdue-holder',
    about: 'lock',
    look: (lock) => {
      const overdue = of(holdersOf(lock), 'overdue');
      const [first] = overdue;
      if (first === undefined) return null;
      return {
        // The backend will free it, so it is not urgent.
        severity: 'warning',
        facts: {
          holders: overdue.length,
          label: first.label,
          waiting: waitersInView(lock),
          full: 0,
          holds: holdsOf(lock),
        },
        grounds: lockGrounds(lock, overdue),
        mend: releaseOf(lock, first),
      };
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
        facts: {
          holders: overdue.length,
          label: first.label,
          ...wanted(semaphore),
          holds: holdsOf(semaphore),
        },
        grounds: groundsOf(semaphore, overdue),
        mend: evict(semaphore, first),
      };
    },
  },
  {
    code: 'suspect-holder',
    about: 'lock',
    look: (lock) => {
      const suspect = of(holdersOf(lock), 'suspect');
      const [first] = suspect;
      if (first === undefined) return null;
      // Without a TTL, a session that outlived the failure of its node or check no longer ends by it.
      const endless = suspect.some(({ expiry }) => expiry.kind === 'never') ? 1 : 0;
      return {
        severity: endless ? 'urgent' : 'warning',
        facts: {
          holders: suspect.length,
          label: first.label,
          waiting: waitersInView(lock),
          full: 0,
          endless,
          holds: holdsOf(lock),
        },
        grounds: lockGrounds(lock, suspect),
        mend: releaseOf(lock, first),
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
        facts: {
          holders: suspect.length,
          label: first.label,
          ...wanted(semaphore),
          endless,
          holds: holdsOf(semaphore),
        },
        grounds: groundsOf(semaphore, suspect),
        mend: evict(semaphore, first),
      };
    },
  },
  {
    code: 'endless-holder',
    about: 'lock',
    look: (lock) => {
      const endless = holdersOf(lock).filter(({ verdict }) => isEndless(verdict));
      const first = endless.find(({ verdict }) => verdict === 'immortal') ?? endless[0];
      if (first === undefined || !isEndless(first.verdict)) return null;
      return {
        // Waiters may be invisible, so a wait cannot be ruled out. A node ends the other kind.
        severity: first.verdict === 'immortal' ? 'warning' : 'notice',
        facts: {
          holders: endless.length,
          verdict: first.verdict,
          label: first.label,
          ...endingNode(first),
          waiting: waitersInView(lock),
          holds: holdsOf(lock),
        },
        grounds: endless.map((holder) => ground(lock, holder, null, decisiveOf(lock))),
        mend: null,
      };
    },
  },
  {
    code: 'endless-holder',
    about: 'semaphore',
    look: (semaphore) => {
      const { holders } = semaphore;
      const endless = holders.filter(({ verdict }) => isEndless(verdict));
      const first = endless.find(({ verdict }) => verdict === 'immortal') ?? endless[0];
      if (first === undefined || !isEndless(first.verdict)) return null;
      return {
        // Only a person can check its process, so no action is proposed.
        severity: (waitingOf(semaphore) ?? 0) > 0 ? 'warning' : 'notice',
        facts: {
          holders: endless.length,
          verdict: first.verdict,
          label: first.label,
          ...endingNode(first),
          waiting: waitersInView(semaphore),
          holds: holdsOf(semaphore),
        },
        grounds: endless.map((holder) =>
          ground(semaphore, holder, evict(semaphore, holder), decisiveOf(semaphore)),
        ),
        mend: null,
      };
    },
  },
  {
    code: 'same-thread-removed',
    about: 'lock',
    look: (lock) => {
      const left = holdersOf(lock).filter(({ evidence }) => evidence.some(({ code }) => lost.has(code)));
      const [first] = left;
      if (first === undefined) return null;
      return {
        // Only its owner knows whether the lock is a part of a MultiLock.
        severity: 'notice',
        facts: { label: first.label },
        grounds: left.map((holder) => ground(lock, holder, releaseOf(lock, holder), lost)),
        mend: null,
      };
    },
  },
];
