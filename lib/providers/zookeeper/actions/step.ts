/** One action on what was just read: what it says, what it saw, and the one transaction that does it. */
import type { Expect } from '@/lib/domain/actions/expect';
import type { Plan } from '@/lib/domain/actions/plan';
import type { Party, Subject } from '@/lib/domain/model';
import type { ZkOp } from '@/lib/providers/zookeeper/client/node';

export interface Step {
  readonly plan: Pick<Plan, 'summary' | 'writes' | 'warnings' | 'undo' | 'manual'>;
  readonly expect: Expect;
  /** All or nothing: conditions, and one write at the end. */
  readonly ops: readonly ZkOp[];
  /** What ZooKeeper asks for the write. */
  readonly needs: { readonly right: 'DELETE' | 'WRITE'; readonly path: string };
  /** Whom it may take something from that is at work; `null`: nobody. */
  readonly hits: Party | null;
  /** What it frees; `null`: nothing. */
  readonly frees: Subject | null;
}
