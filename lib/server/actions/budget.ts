/**
 * Limits the actions that one caller may have in progress, and the audit rows that these may fill. The audit is never
 * deleted, and a full disk stops all actions, so its growth is bounded for each person and each address.
 *
 * A person counts by name and by the shared address; a caller without a name by the address alone.
 */
import { type Identity, identityKey } from '@/lib/domain/identity';
import { HttpProblem } from '@/lib/server/http/http';
import { networkOf } from '@/lib/server/http/limits';

export interface ActionBudgetOptions {
  readonly now: () => number;
  /** Most actions of one person at a time. A person does one, a script a few. */
  readonly underWayMax?: number;
  /** Most actions at a time of all callers without a name at one address. */
  readonly underWayOfAddressMax?: number;
  /** Most bytes of rows of one person in one window. An action takes about 4 KB, at most about 100 KB. */
  readonly bytesMax?: number;
  readonly bytesOfAddressMax?: number;
  readonly windowMs?: number;
}

/** A place among the actions in progress. */
export interface BudgetShare {
  /** Counts the bytes of a row that was written for the action. */
  spend(bytes: number): void;
  /** Gives the place back. Later calls do nothing. */
  end(): void;
}

export interface ActionBudget {
  /** Throws `busy` (`too-many-actions`, `audit-budget`) beyond a budget. */
  take(asker: { readonly identity: Identity; readonly address: string | null }): BudgetShare;
}

/** Most names that are counted separately in one window. All others share one count. */
const namesMax = 10_000;
const mebibyte = 1024 * 1024;

export function createActionBudget({
  now,
  underWayMax = 16,
  underWayOfAddressMax = 64,
  bytesMax = 4 * mebibyte,
  bytesOfAddressMax = 16 * mebibyte,
  windowMs = 600_000,
}: ActionBudgetOptions): ActionBudget {
  const underWay = new Map<string, number>();
  const bytes = new Map<string, number>();
  let beganMs = now();
  const keyIn = (of: Map<string, number>, name: string) => (of.has(name) || of.size < namesMax ? name : '');
  const countOf = (of: Map<string, number>, name: string) => of.get(keyIn(of, name)) ?? 0;
  const add = (to: Map<string, number>, name: string, more: number) => {
    const key = keyIn(to, name);
    const sum = (to.get(key) ?? 0) + more;
    if (sum > 0) to.set(key, sum);
    else to.delete(key);
    return () => add(to, key, -more);
  };
  return {
    take: ({ identity, address }) => {
      const atMs = now();
      // A clock that was set back starts a new window too.
      if (atMs - beganMs >= windowMs || atMs < beganMs) {
        bytes.clear();
        beganMs = atMs;
      }
      const network = networkOf(address);
      const isNamed = identity.kind !== 'anonymous';
      const name = isNamed ? `name ${identityKey(identity)}` : `address ${network}`;
      const max = isNamed ? underWayMax : underWayOfAddressMax;
      if (countOf(underWay, name) >= max)
        throw new HttpProblem({ code: 'busy', why: { code: 'too-many-actions', facts: { max } } }, 429);
      const shares: readonly (readonly [string, number])[] = [
        ...(isNamed ? [[name, bytesMax] as const] : []),
        [`address ${network}`, bytesOfAddressMax],
      ];
      if (shares.some(([share, most]) => countOf(bytes, share) >= most)) {
        const seconds = Math.max(1, Math.ceil((beganMs + windowMs - atMs) / 1000));
        const facts = { retryAfterMs: seconds * 1000 };
        throw new HttpProblem({ code: 'busy', why: { code: 'audit-budget', facts } }, 429, {
          'retry-after': String(seconds),
        });
      }
      const leave = add(underWay, name, 1);
      let isOver = false;
      return {
        spend: (size) => {
          for (const [share] of shares) add(bytes, share, size);
        },
        end: () => {
          if (!isOver) leave();
          isOver = true;
        },
      };
    },
  };
}
