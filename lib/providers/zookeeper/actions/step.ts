/** One action on fresh state: its plan, the state that it saw, and its one transaction. */
import type { Expect } from '@/lib/domain/actions/expect';
import type { Plan } from '@/lib/domain/actions/plan';
import type { Party, Subject } from '@/lib/domain/model';
import type { ZkOp } from '@/lib/providers/zookeeper/client/node';

export interface Step {
  readonly plan: Pick<Plan, 'summary' | 'writes' | 'warnings' | 'undo' | 'manual'>;
  readonly expect: Expect;
  /** All or nothing: conditions, and one write at the end. */
  readonly ops: readonly ZkOp[];
  /** The right that ZooKeeper requires for the write. */
  readonly needs: { readonly right: 'DELETE' | 'WRITE'; readonly path: string };
  /** The holder whose work may be hit; `null`: none. */
  readonly hits: Party | null;
  /** The subject that becomes free; `null`: none. */
  readonly frees: Subject | null;
}
