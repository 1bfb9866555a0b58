/** Takes a lease from its holder, removes a waiting or stuck one, and sets a shared limit. */
import type { ActionOf } from '@/lib/domain/actions/action';
import { setLimit } from '@/lib/domain/actions/semaphore';
import type { Problem } from '@/lib/domain/problem';
import { semaphoreSubject } from '@/lib/domain/subject';
import { parentOf } from '@/lib/providers/zookeeper/client/path';
import type { Entry } from '@/lib/providers/zookeeper/recognise/entry';
import { countOf } from '@/lib/providers/zookeeper/recognise/leases';
import type { ReadSemaphore } from '@/lib/providers/zookeeper/recognise/read';
import { type Acting, problem } from './context';
import { seenOf } from './expectation';
import { gone, named, removal, stands } from './lock-steps';
import * as manual from './manual';
import type { Step } from './step';
import * as warning from './warning';

const labelOf = ({ row }: ReadSemaphore, name: string): string =>
  [...row.holders, ...row.waiters].find(({ sessionId }) => sessionId === name)?.label ?? name;

export function evictStep(
  action: ActionOf<'semaphore.evict'>,
  semaphore: ReadSemaphore,
  acting: Acting,
): Step | Problem {
  const { prefix, sessionId } = action;
  const entry = named(semaphore.held, sessionId);
  if (entry === undefined) return problem('not-held', 'not-holder', { sessionId });
  const { node } = entry;
  const { row } = semaphore;
  return {
    plan: {
      summary: { code: 'free-slot', facts: { prefix, holder: labelOf(semaphore, sessionId) } },
      writes: [
        {
          operation: 'delete',
          target: node.path,
          condition: { code: 'zookeeper-same-node', facts: { version: node.stat.version } },
          before: { code: 'holds-slot', facts: { prefix } },
          after: gone,
        },
      ],
      warnings: [
        warning.notices(row.layout),
        ...warning.next(row.waiters),
        warning.sessionStays,
        ...warning.ownsMore(acting, entry),
      ],
      undo: { code: 'none-slot', facts: {}, action: null },
      manual: manual.deletion(node),
    },
    expect: seenOf(node, { subject: prefix, party: sessionId }),
    ops: removal(node),
    needs: { right: 'DELETE', path: parentOf(node.path) },
    hits: row.holders.find((one) => one.sessionId === sessionId) ?? null,
    frees: semaphoreSubject(action),
  };
}

interface Dropping {
  readonly entry: Entry;
  readonly code: 'zookeeper-drop-waiter' | 'zookeeper-drop-stuck';
  /** The nodes whose presence proves that it was not granted. */
  readonly conditions: readonly Entry[];
  /** The first in the queue, which blocks it; `null`: it is that one, or not in the queue. */
  readonly behind: Entry | null;
}

/**
 * Finds the node to remove. An ungranted lease may go only beside leases that prove it ungranted. The first in the
 * queue goes by its lease, because a lease that loses its place is stuck and keeps all others out.
 */
function droppingOf(semaphore: ReadSemaphore, name: string): Dropping | Problem {
  const { stuck, pending, queue, guardsOf } = semaphore;
  const lease = named(stuck, name);
  const place = queue.findIndex((entry) => entry.name === name);
  const entry = queue[place];
  const [first] = queue;
  if (lease === undefined && entry !== undefined && place > 0 && first !== undefined)
    return { entry, code: 'zookeeper-drop-waiter', conditions: [first], behind: first };
  if (lease === undefined && entry === undefined)
    return problem('not-held', 'not-waiter', { sessionId: name });
  const ungranted = lease ?? pending;
  const guards = ungranted === null ? null : guardsOf(ungranted);
  if (ungranted === null || guards === null) return problem('busy', 'zookeeper-next-in', {});
  const code = lease === undefined ? 'zookeeper-drop-waiter' : 'zookeeper-drop-stuck';
  const conditions = entry === undefined ? guards : [entry, ...guards];
  return { entry: ungranted, code, conditions, behind: null };
}

export function dropStep(
  action: ActionOf<'semaphore.remove-waiter'>,
  semaphore: ReadSemaphore,
  acting: Acting,
): Step | Problem {
  const { prefix, sessionId } = action;
  const dropping = droppingOf(semaphore, sessionId);
  if (!('entry' in dropping)) return dropping;
  const { entry, code, conditions, behind } = dropping;
  const { node } = entry;
  const { version } = node.stat;
  const waiter = labelOf(semaphore, sessionId);
  return {
    plan: {
      summary:
        code === 'zookeeper-drop-stuck'
          ? { code, facts: { prefix, waiter } }
          : { code, facts: { name: prefix, waiter } },
      writes: [
        {
          operation: 'delete',
          target: node.path,
          condition:
            behind === null
              ? {
                  code: 'zookeeper-not-granted',
                  facts: { version, others: conditions.filter(({ kind }) => kind === 'lease').length },
                }
              : { code: 'zookeeper-same-waiter', facts: { version, behind: behind.name } },
          before: null,
          after: gone,
        },
      ],
      warnings: [
        entry.kind === 'lease' ? warning.leaseRequeues : warning.requeues,
        ...warning.ownsMore(acting, entry),
      ],
      undo: { code: 'none-slot', facts: {}, action: null },
      manual: manual.none,
    },
    expect: seenOf(node, { subject: prefix, party: sessionId }),
    ops: [
      // Another limit might grant it.
      ...(semaphore.count == null || behind !== null ? [] : [stands(semaphore.count)]),
      ...conditions.map((one) => stands(one.node)),
      ...removal(node),
    ],
    needs: { right: 'DELETE', path: parentOf(node.path) },
    hits: null,
    frees: null,
  };
}

const bytesOf = (limit: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(limit);
  return bytes;
};

/** Writes under the version that was read. */
export function resizeStep(
  action: ActionOf<'semaphore.resize'>,
  { count, row }: ReadSemaphore,
  acting: Acting,
): Step | Problem {
  const { source, prefix, limit } = action;
  if (count === undefined) return problem('invalid', 'not-offered-here', {});
  if (count === null) {
    const path = acting.facts().counts.get(prefix) ?? '';
    return problem('not-found', 'zookeeper-count-gone', { path });
  }
  const { path, data, stat } = count;
  const before = countOf(count);
  if (before === null)
    return problem('conflict-in-use', 'zookeeper-count-form', { path, bytes: data.length });
  const holders = row.holders.length;
  return {
    plan: {
      summary: { code: 'set-limit', facts: { prefix, before, limit } },
      writes: [
        {
          operation: 'update',
          target: path,
          condition: { code: 'zookeeper-same-node', facts: { version: stat.version } },
          before: { code: 'stored', facts: { text: String(before) } },
          after: { code: 'stored', facts: { text: String(limit) } },
        },
      ],
      warnings: [
        { code: 'limit-live', facts: {} },
        ...(holders > limit ? [{ code: 'over-limit', facts: { holders, limit } } as const] : []),
      ],
      // This action sets no limit below one.
      undo: {
        code: 'set-limit-back',
        facts: { limit: before },
        action: before < 1 ? null : setLimit({ source, prefix }, before),
      },
      manual: manual.none,
    },
    expect: seenOf(count, { subject: prefix, party: null, limit: before }),
    ops: [{ op: 'setData', path, version: stat.version, data: bytesOf(limit) }],
    needs: { right: 'WRITE', path },
    hits: null,
    frees: null,
  };
}
