/** Sets another limit by comparison, and keeps the shape and flags of the coordination entry. */

import type { Touch, Undo } from '@/lib/domain/actions/plan';
import { setLimit } from '@/lib/domain/actions/semaphore';
import { layouts } from '@/lib/domain/layout';
import { type SemaphoreRef, semaphoreSubject, sessionSubject } from '@/lib/domain/subject';
import type { TxnOp } from '@/lib/providers/consul/client/wire';
import { coordinationKey, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { type Act, outcomeOf } from './act';
import {
  readAll,
  readPrefix,
  refusal,
  requireAllowed,
  requireSemaphoreInView,
  semaphoreOf,
} from './consistent-read';
import { expectEntry, requireUnchanged, rowDifference } from './expectation';
import { rewriting } from './manual';
import { entryNeed } from './needs';
import { requireUnderstood, rewriteOp, type SemaphoreRows, semaphoreIn } from './semaphore-rows';
import { withUnseen } from './token-rights';
import * as warning from './warning';
import { converge, requireFits } from './write';

const limitOf = (rows: SemaphoreRows) => String(rows.reading?.coordination?.limit ?? '?');

/** The one comparison. Throws for an entry that is not understood, and for a limit that would break its clients. */
function resizeOps(rows: SemaphoreRows, limit: number): TxnOp[] {
  const { lock, coordination } = requireUnderstood(rows);
  const recorded = coordination.holders.length;
  // Clients of the list layout admit unless `limit == holders.size()`, so with more records than slots they admit every
  // client. Clients with other flags than Go's may do the same in a map, as the permission table says. Holders may have
  // come since the plan, so each attempt checks this.
  const mayBeLive = coordination.shape === 'list' || lock.flags !== semaphoreFlags;
  if (mayBeLive && limit < recorded)
    throw refusal('conflict-in-use', { code: 'below-recorded', facts: { recorded } });
  return [rewriteOp(lock, coordination, { limit })];
}

/** The undo restores the old limit. It does not restart Go clients that failed on the new one. */
function undoOf({ source, prefix }: SemaphoreRef, limit: number, failsWaiters: boolean): Undo {
  // A stored limit below one cannot be set again.
  const action = limit < 1 ? null : setLimit({ source, prefix }, limit);
  return { code: failsWaiters ? 'set-limit-back-late' : 'set-limit-back', facts: { limit }, action };
}

export const resizeLimit: Act<'semaphore.resize'> = {
  async plan(action, context) {
    const { prefix, limit } = action;
    requireSemaphoreInView(context, prefix);
    const fresh = await readAll(context);
    const rows = semaphoreIn(fresh.view.rows, prefix);
    const world = await withUnseen(context, fresh.world, (one) => one.prefix === prefix);
    const semaphore = semaphoreOf(world, prefix);
    if (semaphore === null) throw refusal('not-found', { code: 'no-semaphore', facts: { prefix } });
    requireAllowed(action, fresh);
    const { lock, coordination } = requireUnderstood(rows);
    const ops = resizeOps(rows, limit);
    await requireFits(context, ops);
    const failsWaiters = layouts[semaphore.layout].resize === 'fails-waiters';
    const touches: Touch[] = failsWaiters
      ? semaphore.waiters.map((waiter) => ({
          subject: sessionSubject({ source: action.source, id: waiter.sessionId }),
          effect: 'fails',
          who: { label: waiter.label, node: waiter.session?.node ?? null },
          detail: null,
        }))
      : [];
    const after = ops[0] !== undefined && 'value' in ops[0] ? ops[0].value.toString('utf8') : '';
    return {
      plan: {
        summary: { code: 'set-limit', facts: { prefix, before: coordination.limit, limit } },
        writes: [
          {
            operation: 'update',
            target: lock.key,
            condition: { code: 'same-limit', facts: { limit: coordination.limit, index: lock.modifyIndex } },
            before: { code: 'stored', facts: { text: coordination.text } },
            after: { code: 'stored', facts: { text: after } },
          },
        ],
        touches,
        warnings: [
          ...(failsWaiters
            ? warning.resizeMap({ waiters: warning.waitersOf(semaphore).waiters, limit })
            : warning.resizeList(semaphore.layout)),
          ...warning.overLimit(semaphore, limit),
        ],
        undo: undoOf(action, coordination.limit, failsWaiters),
        manual: rewriting(context.client.settings, ops, {
          code: 'writes-limit',
          facts: { key: lock.key, limit },
        }),
        friction: 'reason',
        confirmName: null,
      },
      expect: { entries: [expectEntry(lock.key, lock, limitOf(rows))], sessions: [] },
    };
  },

  shape: ({ prefix }) => ({
    needs: [coordinationKey(prefix)],
    fits: ({ modifyIndex, session, seen }) => modifyIndex !== null && session === null && seen !== undefined,
    entriesMax: 1,
  }),

  needs: ({ prefix }) => entryNeed(coordinationKey(prefix)),

  async apply(action, seen, context) {
    const { prefix, limit } = action;
    requireSemaphoreInView(context, prefix);
    const read = async () => semaphoreIn(await readPrefix(context, prefix), prefix);
    const { answerLost } = await converge(context, {
      next: async () => {
        const rows = await read();
        requireUnchanged(
          rowDifference(seen, coordinationKey(prefix), rows.lock, {
            code: 'limit-changed',
            now: limitOf(rows),
          }),
          limitOf(rows) === String(limit),
        );
        return resizeOps(rows, limit);
      },
      reached: async () => (await read()).reading?.coordination?.limit === limit,
    });
    return outcomeOf(context, {
      freed: [],
      lost: answerLost,
      subject: semaphoreSubject(action),
    });
  },
};
