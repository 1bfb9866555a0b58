/**
 * The difference between the shown page and the freshly read plan. A plan about another holder than the title would be
 * applied to the wrong one.
 */
import type { Planned } from '@/lib/client/api';
import { descriptorOf, subjectsOf } from '@/lib/domain/actions/action';
import { unlistedHolders } from '@/lib/domain/holders';
import type { Semaphore } from '@/lib/domain/model';
import type { Problem } from '@/lib/domain/problem';
import type { Difference } from '@/lib/domain/refusal';
import type { Request } from './request';

const listed = (ids: readonly string[]) => [...ids].sort().join(', ');

const ghostIds = ({ holders }: Semaphore) =>
  holders.filter(({ verdict }) => verdict === 'ghost').map(({ sessionId }) => sessionId);

function differences({ action, lock, semaphore }: Request, { plan, saw }: Planned): Difference[] {
  const { hits } = descriptorOf(action);
  if (hits === 'holder' && lock !== null) {
    const before = lock.holder?.sessionId ?? null;
    const now = saw.sessions[0] ?? null;
    if (before !== now) return [{ code: 'holder-changed', facts: { key: lock.key, before, now } }];
  }
  // The page knows no names of counted ghosts; the write compares them all.
  const isListed = semaphore !== null && unlistedHolders(semaphore) === 0;
  if (hits === 'ghosts' && subjectsOf(action).length === 1 && semaphore !== null && isListed) {
    // The page may call one a ghost whose session is kept from the token. The plan has asked Consul, and says which it leaves alone.
    const hidden = plan.warnings.flatMap((one) =>
      one.code === 'hidden-stay' ? one.facts.ids.split('\n') : [],
    );
    const before = listed(ghostIds(semaphore).filter((id) => !hidden.includes(id)));
    const now = listed(
      plan.touches.flatMap(({ subject }) => (subject.kind === 'session' ? [subject.id] : [])),
    );
    if (before !== now) return [{ code: 'ghosts-changed', facts: { before, now } }];
  }
  if (plan.summary.code === 'set-limit' && semaphore !== null && semaphore.limit !== null) {
    const before = String(semaphore.limit);
    const now = String(plan.summary.facts.before);
    if (before !== now) return [{ code: 'limit-changed', facts: { before, now } }];
  }
  return [];
}

/** `stale`, with the difference, when the plan is not about the shown subject. */
export function movedSince(request: Request, planned: Planned): Problem | null {
  const difference = differences(request, planned);
  if (difference.length === 0) return null;
  return { code: 'stale', why: { code: 'changed-since', facts: {} }, difference };
}
