/**
 * Releases a lock in one of two ways. Ending the holder's session sets the lock-delay, which protects the next holder.
 * One transaction unlocks the key for the fastest client, without a delay.
 */

import type { Outcome } from '@/lib/domain/actions/plan';
import * as risk from '@/lib/domain/actions/risk';
import { type Lock, shortId, type World } from '@/lib/domain/model';
import { type LockRef, lockSubject } from '@/lib/domain/subject';
import type { KvRow, TxnOp } from '@/lib/providers/consul/client/wire';
import { reading } from '@/lib/providers/consul/sight/rights';
import { type Act, outcomeOf, type Prepared } from './act';
import { endSession, heldBy, isGone, keysOf, touchesOf } from './blast-radius';
import {
  type ActContext,
  type Fresh,
  readEntry,
  readHoldings,
  readReach,
  readScope,
  refusal,
  requireAllowed,
  requireInView,
} from './consistent-read';
import {
  expectEntry,
  hitting,
  holdingsDifference,
  isThere,
  requireUnchanged,
  rowDifference,
  type SeenChangeCode,
  verdictDifference,
} from './expectation';
import { destruction, unlocking } from './manual';
import { endingNeed, entryNeed, holderOf } from './needs';
import { scopeOf } from './scope';
import { withUnseenOf } from './token-rights';
import * as warning from './warning';
import { converge, inSessionTurn, requireFits } from './write';

interface HeldLock {
  readonly lock: Lock;
  readonly row: KvRow;
  readonly sessionId: string;
}

function lockIn(world: World, key: string): Lock | null {
  return world.locks.find((lock) => lock.key === key) ?? null;
}

/** Throws `not-found` for a key that is no lock, and `not-held` for a free lock. */
function heldLock(fresh: Fresh, key: string): HeldLock {
  const lock = lockIn(fresh.world, key);
  const row = fresh.index.row(key);
  if (lock === null || row === undefined) throw refusal('not-found', { code: 'no-lock', facts: { key } });
  if (row.session === null) throw refusal('not-held', { code: 'nobody-holds', facts: {} });
  return { lock, row, sessionId: row.session };
}

/**
 * One transaction: it unlocks only this acquisition, and keeps value and flags. Otherwise Consul would store neither,
 * and every Go client would refuse the key afterwards.
 */
function unlockOps({ key, value, flags, modifyIndex }: KvRow, session: string): TxnOp[] {
  return [
    { verb: 'check-session', key, session },
    { verb: 'check-index', key, index: modifyIndex },
    { verb: 'unlock', key, value, flags, session },
  ];
}

function planDestroy({ client }: ActContext, fresh: Fresh, { lock, row, sessionId }: HeldLock): Prepared {
  const session = fresh.index.session(sessionId);
  const touches = touchesOf(fresh, sessionId, lockSubject(lock));
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
        ...risk.holdsMore(touches.length),
        risk.holderNotices(lock, fresh.world),
        ...risk.commandLeft(lock.layout, lock.holder),
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
      ...hitting(sessionId, lock.holder, keysOf(heldBy(fresh, sessionId))),
    },
  };
}

function planHandOver({ client }: ActContext, fresh: Fresh, { lock, row, sessionId }: HeldLock): Prepared {
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
        risk.noLockDelay('hand-over'),
        ...warning.splitBrain(fresh.index.session(sessionId)),
        warning.mayRetake('lock'),
        warning.sessionLivesOn(fresh.index.session(sessionId)),
        risk.holderNotices(lock, fresh.world),
        ...risk.commandLeft(lock.layout, lock.holder),
        warning.nextOfLock,
      ],
      undo: { code: 'none-hand-over', facts: {}, action: null },
      manual: unlocking(client.settings, unlockOps(row, sessionId), row),
      ...warning.frictionFor(lock.holder),
    },
    expect: { entries: [expectEntry(lock.key, row)], ...hitting(sessionId, lock.holder, null) },
  };
}

export const releaseLock: Act<'lock.release'> = {
  async plan(action, context) {
    const { key, how } = action;
    requireInView(context, key);
    const fresh = await readReach(context);
    const held = heldLock(fresh, key);
    requireAllowed(action, fresh);
    if (how !== 'hand-over')
      return planDestroy(context, await withUnseenOf(context, fresh, held.sessionId), held);
    await requireFits(context, unlockOps(held.row, held.sessionId));
    return planHandOver(context, fresh, held);
  },

  shape: ({ key, how }) => ({
    needs: [key],
    fits: (entry) => isThere(entry) && entry.session !== null,
    entriesMax: 1,
    sessions: (entries) => entries.map(({ session }) => session),
    verdict: 'always',
    holdings: how === 'destroy-session',
  }),

  async needs({ key, how }, asking) {
    if (how === 'hand-over') return entryNeed(key);
    const need = endingNeed(await holderOf(asking, key));
    return { ...need, asks: [reading(key), ...need.asks] };
  },

  apply({ source, key, how }, seen, context) {
    requireInView(context, key);
    const planned = seen.entries.find((entry) => entry.key === key)?.session ?? '';
    const request = { source, key, planned };
    return how === 'hand-over'
      ? handOver(request, seen, context)
      : inSessionTurn(planned, context.signal, () => releaseBySession(request, seen, context));
  },
};

interface ReleasePlan extends LockRef {
  readonly planned: string;
}

async function releaseBySession(
  plan: ReleasePlan,
  seen: SeenChangeCode,
  context: ActContext,
): Promise<Outcome> {
  const { key, planned } = plan;
  const before = await readHoldings(context, planned, scopeOf(lockSubject(plan)));
  requireUnchanged(rowDifference(seen, key, before.index.row(key) ?? null), isGone(before, planned));
  const { lock, sessionId } = heldLock(before, key);
  requireUnchanged([
    ...holdingsDifference(seen, sessionId, keysOf(heldBy(before, sessionId))),
    ...verdictDifference(seen, lock.holder),
  ]);
  const { after, freed, answerLost } = await endSession(
    context,
    before,
    sessionId,
    scopeOf(lockSubject(plan)),
  );
  return {
    done: true,
    freed,
    after: lockIn(after.world, key),
    warnings: answerLost ? [warning.answerLost] : [],
    parts: [],
  };
}

async function handOver(plan: ReleasePlan, seen: SeenChangeCode, context: ActContext): Promise<Outcome> {
  const { key, planned } = plan;
  const requireSame = (row: KvRow | null) =>
    requireUnchanged(rowDifference(seen, key, row), row !== null && row.session !== planned);
  const scope = scopeOf(lockSubject(plan));
  const before = await readScope(context, scope);
  const first = before.index.row(key) ?? null;
  requireSame(first);
  const { lock, sessionId } = heldLock(before, key);
  requireUnchanged(verdictDifference(seen, lock.holder));
  // The first write uses the row that was just read. If the row has moved, Consul refuses, and the next attempt reads
  // again.
  let known: KvRow | null | undefined = first;
  const rowNow = () => readEntry(context, key);
  const { answerLost } = await converge(context, {
    next: async () => {
      const row = known === undefined ? await rowNow() : known;
      known = undefined;
      requireSame(row);
      return row === null ? null : unlockOps(row, sessionId);
    },
    reached: async () => (await rowNow())?.session !== sessionId,
  });
  return outcomeOf(context, {
    freed: [lockSubject(plan)],
    lost: answerLost,
    before,
    subject: lockSubject(plan),
  });
}
