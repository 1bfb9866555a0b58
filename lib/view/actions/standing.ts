/** Where the story that follows an action stands, and how much of it can be told yet. */
import { subjectId } from '@/lib/domain/model';
import { isNamed, nameMs } from '@/lib/domain/return';
import { type Pinned, type Step, takers } from './follow';

/** How long to watch for the next holder before saying that nobody came. */
export const patienceMs = 30_000;

/**
 * The same for those who waited when a limit was changed: a client that failed is listed until its session ends, which with
 * the TTL of Go's, 15 s, is up to half a minute later.
 */
export const queuePatienceMs = 45_000;

/**
 * The steps that can be told now. A taker without a name is kept back for a moment where the old holder had one: Terraform
 * writes its name beside the lock after it has taken it.
 */
export function tellable(
  steps: readonly Step[],
  { locks }: Pinned,
  { nowMs }: { readonly nowMs: number },
): readonly Step[] {
  const awaited = new Set(
    locks.flatMap(({ key, holder }) =>
      holder !== null && isNamed(holder) ? [subjectId({ kind: 'lock', key })] : [],
    ),
  );
  return steps.filter(
    ({ code, who, subject, atMs }) =>
      !takers.has(code) || who !== null || nowMs - atMs >= nameMs || !awaited.has(subjectId(subject)),
  );
}

/** Of those who waited when a limit was changed, how many are still listed. */
export function listedStill(steps: readonly Step[], { action, semaphores }: Pinned): number {
  if (action.type !== 'semaphore.resize' || steps.some(({ code }) => code === 'entry-gone')) return 0;
  const told = new Set(steps.map(({ sessionId }) => sessionId));
  return semaphores.flatMap(({ waiters }) => waiters).filter(({ sessionId }) => !told.has(sessionId)).length;
}

/**
 * Where the story stands: still nothing to see, watching for the next holder, or complete. `since` counts from the
 * moment of sending; a lock-delay is waited out before patience begins. Of a new limit: watching those who waited, or with
 * some of them still listed when patience is over.
 */
export function standing(
  steps: readonly Step[],
  pinned: Pinned,
  { sentAtMs, nowMs }: { readonly sentAtMs: number; readonly nowMs: number },
): 'unseen' | 'watching' | 'nobody' | 'queue' | 'listed' | 'complete' {
  if (steps.length === 0) return 'unseen';
  if (pinned.action.type === 'semaphore.resize') {
    if (listedStill(steps, pinned) === 0) return 'complete';
    return nowMs - sentAtMs >= queuePatienceMs ? 'listed' : 'queue';
  }
  // Into a semaphore that is gone nobody comes. A lock whose key went with its session is made again by its next holder.
  const over = new Set(
    steps.flatMap(({ code, subject }) =>
      code === 'entry-gone' && subject.kind === 'semaphore' ? [subjectId(subject)] : [],
    ),
  );
  const gone = steps.filter((s) => s.code === 'gone' && !over.has(subjectId(s.subject))).length;
  if (steps.filter(({ code }) => takers.has(code)).length >= gone) return 'complete';
  const from = Math.max(sentAtMs, ...steps.map((s) => s.untilMs ?? s.atMs));
  return nowMs - from >= patienceMs ? 'nobody' : 'watching';
}
