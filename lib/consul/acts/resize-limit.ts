/** Setting another limit, by comparison, in the shape and with the flags that the coordination entry has. */
import { editCoordination } from '@/lib/consul/coordination';
import type { TxnOp } from '@/lib/consul/wire';
import type { Touch } from '@/lib/domain/action';
import { layouts } from '@/lib/domain/layout';
import { type Act, outcomeOf } from './act';
import { expectEntry, requireUnchanged, rowDifference } from './expectation';
import {
  coordinationKey,
  readAll,
  readPrefix,
  refusal,
  requireInView,
  requireUnderstood,
  type SemaphoreRows,
  semaphoreIn,
  semaphoreOf,
} from './fresh';
import { comment, curlTxn } from './manual';
import * as warning from './warning';
import { converge } from './write';

const seenOf = (rows: SemaphoreRows) => `limit: ${rows.reading?.coordination?.limit ?? 'unreadable'}`;

/** The one comparison. Throws for an entry that is not understood, and for a limit that would break its clients. */
function resizeOps(rows: SemaphoreRows, limit: number): TxnOp[] {
  const { lock, coordination } = requireUnderstood(rows);
  const recorded = coordination.holders.length;
  // Clients of the list layout admit unless `limit == holders.size()`: with fewer slots than records they admit
  // everyone. Checked on every try, because holders may have come since the plan.
  if (coordination.shape === 'list' && limit < recorded)
    throw refusal(
      'conflict-in-use',
      `${recorded} holders are recorded. Clients of this layout compare for equality and would admit without bound below that.`,
    );
  return [
    {
      verb: 'cas',
      key: lock.key,
      value: editCoordination(coordination, { limit }),
      flags: lock.flags,
      index: lock.modifyIndex,
    },
  ];
}

export const resizeLimit: Act<'semaphore.resize'> = {
  async plan({ prefix, limit }, context) {
    requireInView(context, prefix);
    const fresh = await readAll(context);
    const rows = semaphoreIn(fresh.view.rows, prefix);
    const semaphore = semaphoreOf(fresh.world, prefix);
    if (semaphore === null) throw refusal('not-found', `There is no semaphore ${prefix}.`);
    const { lock, coordination } = requireUnderstood(rows);
    if (layouts[semaphore.layout].resize === null)
      throw refusal(
        'conflict-in-use',
        `The coordination entry ${lock.key} is not of a layout that is written.`,
      );
    if (limit === coordination.limit) throw refusal('conflict-in-use', `The limit is ${limit} already.`);
    const ops = resizeOps(rows, limit);
    const failsWaiters = layouts[semaphore.layout].resize === 'fails-waiters';
    const touches: Touch[] = failsWaiters
      ? semaphore.waiters.map((waiter) => ({
          subject: { kind: 'session', id: waiter.sessionId },
          effect: 'fails',
          detail: waiter.label,
        }))
      : [];
    const after = ops[0] !== undefined && 'value' in ops[0] ? ops[0].value.toString('utf8') : null;
    return {
      plan: {
        summary: `Set the limit of ${prefix} from ${coordination.limit} to ${limit}.`,
        writes: [
          {
            operation: 'update',
            target: lock.key,
            condition: `the limit is still ${coordination.limit}; holders that come or go meanwhile are kept (read at index ${lock.modifyIndex})`,
            before: coordination.text,
            after,
          },
        ],
        touches,
        warnings: [
          ...(failsWaiters ? warning.resizeMap({ waiters: semaphore.waiters.length, limit }) : []),
          ...warning.overLimit({ holders: coordination.holders.length, limit }),
          ...warning.layoutCaution(semaphore.layout),
        ],
        manual: [
          comment(
            `Writes ${after ?? ''} to ${lock.key}; 409 says that a client came or went: read it again.`,
          ),
          curlTxn(context.client.settings, ops),
        ],
        friction: 'reason',
        confirmName: null,
      },
      expect: { entries: [expectEntry(lock.key, lock, seenOf(rows))], sessions: [] },
    };
  },

  async apply({ prefix, limit }, expect, context) {
    requireInView(context, prefix);
    const read = async () => semaphoreIn(await readPrefix(context, prefix), prefix);
    const { answerLost } = await converge(context, {
      next: async () => {
        const rows = await read();
        requireUnchanged(rowDifference(expect, coordinationKey(prefix), rows.lock, seenOf(rows)));
        return resizeOps(rows, limit);
      },
      reached: async () => (await read()).reading?.coordination?.limit === limit,
    });
    return outcomeOf(context, {
      freed: [],
      lost: answerLost,
      after: ({ world }) => semaphoreOf(world, prefix),
    });
  },
};
