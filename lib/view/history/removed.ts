/** Waiters that a person removed from a queue. Pure. */
import type { History, Wait } from '@/lib/domain/history/episode';

export interface RemovedWaiter {
  readonly kind: 'removed';
  readonly id: string;
  readonly atMs: number;
  readonly wait: Wait;
}

export const removedIn = ({ waits }: Pick<History, 'waits'>): readonly RemovedWaiter[] =>
  waits.flatMap((wait) =>
    wait.end === 'removed-here' && wait.to !== null
      ? [{ kind: 'removed', id: wait.id, atMs: wait.to.atMs, wait }]
      : [],
  );
