/**
 * A maker's rights to the grant's scope, asked every other second. The maker's world has the rows; these rights show
 * whether a missing row is absent or hidden, and whether the maker may see every session.
 */

import type { Right } from '@/lib/domain/identity';
import type { Provider } from '@/lib/domain/seam/provider';
import type { Scope } from '@/lib/domain/sharing/grant';
import type { SourceState } from '@/lib/domain/source-state';
import { within } from '@/lib/server/process/deadline';
import { readablesOf } from '@/lib/server/sharing/shareable-scope';

/** `unknown`: not answered yet, or the question failed. */
export type MakerReach = 'all' | NonNullable<SourceState['reach']> | 'unknown';

export interface MakerRights {
  readonly reach: MakerReach;
  /** The grant includes sessions, and its maker may see those of every node. */
  readonly sessions: boolean;
  /** A row has disappeared, and may be hidden now. Asks at once. */
  doubt(): void;
  close(): void;
}

const lookMs = 2_000;
const timeoutMs = 1_500;
/** A right that stays unknown this long counts as no right. */
const unaskedMaxMs = 10_000;

/** The first key decides whether a lock or semaphore is visible at all. */
function reachOf({ view }: Scope, rights: readonly Right[]): MakerReach {
  const decisive = view === 'board' ? rights : rights.slice(0, 1);
  if (decisive.includes('unknown')) return 'unknown';
  if (decisive.every((right) => right === 'yes')) return 'all';
  return decisive.includes('yes') ? 'part' : 'none';
}

export function watchMakerRights({
  provider,
  scope,
  now,
  onChange,
}: {
  readonly provider: Pick<Provider, 'readable' | 'seesSessions' | 'mayPassOn'>;
  readonly scope: Scope;
  readonly now: () => number;
  readonly onChange: () => void;
}): MakerRights {
  const end = new AbortController();
  let reach: MakerReach = 'unknown';
  let sessions = false;
  let sessionsMs = now();
  let inFlight: Promise<void> | null = null;

  const ask = async () => {
    const signal = within(timeoutMs, end.signal);
    const [rights, sees] = await Promise.all([
      provider.readable?.(readablesOf(scope), signal) ?? (['unknown'] as const),
      scope.sessions ? (provider.seesSessions?.(scope.source, signal) ?? 'unknown') : 'no',
    ]);
    if (end.signal.aborted) return;
    const before = [reach, sessions];
    reach = provider.mayPassOn?.(scope.source) === false ? 'none' : reachOf(scope, rights);
    if (sees !== 'unknown') sessionsMs = now();
    if (sees !== 'unknown' || Math.abs(now() - sessionsMs) > unaskedMaxMs) sessions = sees === 'yes';
    if (before[0] !== reach || before[1] !== sessions) onChange();
  };
  const look = () => {
    inFlight ??= ask()
      .catch(() => {})
      .finally(() => {
        inFlight = null;
      });
  };
  const timer = setInterval(look, lookMs);
  timer.unref();
  look();

  return {
    get reach() {
      return reach;
    },
    get sessions() {
      return sessions;
    },
    doubt: () => {
      reach = 'unknown';
      // An answer in flight may predate the doubt.
      if (inFlight === null) look();
      else void inFlight.then(look);
    },
    close: () => {
      clearInterval(timer);
      end.abort();
    },
  };
}
