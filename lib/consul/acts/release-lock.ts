/**
 * Releasing a lock: by ending its holder's session, which sets the lock-delay that protects the next holder; or by
 * one transaction that unlocks the key for whoever is quick, without a delay.
 */

import type { Row, TxnOp } from '@/lib/consul/wire';
import { type Lock, type Subject, shortId, type World } from '@/lib/domain/model';
import type { Outcome } from '@/lib/domain/plan';
import type { Planned } from '@/lib/domain/provider';
import { type Act, outcomeOf } from './act';
import { freedBetween, heldBy, isGone, keysOf, touchesOf } from './blast';
import { expectEntry, holdingsDifference, holdingsOf, requireUnchanged, rowDifference } from './expectation';
import {
  type ActContext,
  type Fresh,
  readAll,
  readPrefix,
  refusal,
  requireAllowed,
  requireInView,
} from './fresh';
import { destruction, unlocking } from './manual';
import * as warning from './warning';
import { converge, destroySession } from './write';

interface HeldLock {
  readonly lock: Lock;
  readonly row: Row;
  readonly sessionId: string;
}

const subjectOf = (key: string): Subject => ({ kind: 'lock', key });

function lockIn(world: World, key: string): Lock | null {
  return world.locks.find((lock) => lock.key === key) ?? null;
}

/** Throws `not-found` for what is no lock, and `not-held` for a free one. */
function heldLock(fresh: Fresh, key: string): HeldLock {
  const lock = lockIn(fresh.world, key);
  const row = fresh.index.row(key);
  if (lock === null || row === undefined) throw refusal('not-found', { code: 'no-lock', facts: { key } });
  if (row.session === null) throw refusal('not-held', { code: 'nobody-holds', facts: {} });
  return { lock, row, sessionId: row.session };
}

/**
 * One transaction: only if this very acquisition still stands, unlock with the same bytes and flags. Without them
 * Consul would store none, and every Go client would refuse the key from then on.
 */
function unlockOps({ key, value, flags, modifyIndex }: Row, session: string): TxnOp[] {
  return [
    { verb: 'check-session', key, session },
    { verb: 'check-index', key, index: modifyIndex },
    { verb: 'unlock', key, value, flags, session },
  ];
}

function planDestroy({ client }: ActContext, fresh: Fresh, { lock, row, sessionId }: HeldLock): Planned {
  const session = fresh.index.session(sessionId);
  const touches = touchesOf(fresh, sessionId, subjectOf(lock.key));
  const deleted = session?.row.behavior === 'delete';
  const holder = lock.holder?.label ?? shortId(sessionId);
  return {
    plan: {
      summary: { code: 'release-lock', facts: { key: lock.key, holder } },
      writes: [
        {
          operation: 'destroy-session',
          target: sessionId,
          condition: null,
          before: { code: 'locks-key', facts: { key: lock.key } },
          after: { code: deleted ? 'key-deleted' : 'key-free', facts: { key: lock.key } },
        },
      ],
      touches,
      warnings: [
        warning.lockDelay(session),
        ...warning.splitBrain(session),
        ...warning.holdsMore(touches.length),
        warning.holderNotices(lock.layout),
        warning.nextOfLock,
        warning.notConditional,
        ...warning.viewIncomplete(fresh),
      ],
      undo: { code: 'none-session', facts: {}, action: null },
      manual: destruction(client.settings, sessionId, {
        code: 'ends-session-holding',
        facts: { sessionId, key: lock.key },
      }),
      ...warning.frictionFor(lock.holder),
    },
    expect: {
      entries: [expectEntry(lock.key, row)],
      sessions: [sessionId],
      holdings: holdingsOf(keysOf(heldBy(fresh, sessionId))),
    },
  };
}

function planHandOver({ client }: ActContext, fresh: Fresh, { lock, row, sessionId }: HeldLock): Planned {
  const holder = lock.holder?.label ?? shortId(sessionId);
  return {
    plan: {
      summary: { code: 'hand-over-lock', facts: { key: lock.key, holder } },
      writes: [
        {
          operation: 'unlock',
          target: lock.key,
          condition: { code: 'index-and-holder', facts: { index: row.modifyIndex, sessionId } },
          before: { code: 'held-by', facts: { sessionId } },
          after: { code: 'free-as-it-was', facts: {} },
        },
      ],
      touches: [],
      warnings: [
        warning.noLockDelay('hand-over'),
        ...warning.splitBrain(fresh.index.session(sessionId)),
        warning.mayRetake('lock'),
        warning.sessionLivesOn(fresh.index.session(sessionId)),
        warning.holderNotices(lock.layout),
        warning.nextOfLock,
      ],
      undo: { code: 'none-hand-over', facts: {}, action: null },
      manual: unlocking(client.settings, unlockOps(row, sessionId), row),
      ...warning.frictionFor(lock.holder),
    },
    expect: { entries: [expectEntry(lock.key, row)], sessions: [sessionId] },
  };
}

export const releaseLock: Act<'lock.release'> = {
  async plan(action, context) {
    const { key, how } = action;
    requireInView(context, key);
    const fresh = await readAll(context);
    const held = heldLock(fresh, key);
    requireAllowed(action, fresh);
    return (how === 'hand-over' ? planHandOver : planDestroy)(context, fresh, held);
  },

  async apply({ key, how }, expect, context): Promise<Outcome> {
    requireInView(context, key);
    const before = await readAll(context);
    requireUnchanged(rowDifference(expect, key, before.index.row(key) ?? null));
    const { sessionId } = heldLock(before, key);
    if (how === 'destroy-session') {
      requireUnchanged(holdingsDifference(expect, sessionId, keysOf(heldBy(before, sessionId))));
      let after = before;
      const { answerLost } = await destroySession(context, sessionId, async () => {
        after = await readAll(context, before);
        return isGone(after, sessionId);
      });
      return {
        done: true,
        freed: freedBetween(before, after, sessionId),
        after: lockIn(after.world, key),
        warnings: answerLost ? [warning.answerLost] : [],
        parts: [],
      };
    }
    const rowNow = async () => (await readPrefix(context, key)).find((row) => row.key === key) ?? null;
    const { answerLost } = await converge(context, {
      next: async () => {
        const row = await rowNow();
        requireUnchanged(rowDifference(expect, key, row));
        return row === null ? null : unlockOps(row, sessionId);
      },
      reached: async () => (await rowNow())?.session !== sessionId,
    });
    return outcomeOf(context, {
      freed: [subjectOf(key)],
      lost: answerLost,
      before,
      after: ({ world }) => lockIn(world, key),
    });
  },
};
