/** Destroys a session, with everything that it holds. */

import type { ActionOf } from '@/lib/domain/actions/action';
import type { Outcome } from '@/lib/domain/actions/plan';
import * as risk from '@/lib/domain/actions/risk';
import { type Lock, type Semaphore, shortId } from '@/lib/domain/model';
import { sessionSubject } from '@/lib/domain/subject';
import type { Act } from './act';
import { endSession, heldBy, isGone, keysOf, touchesOf } from './blast-radius';
import {
  type ActContext,
  type Fresh,
  readHoldings,
  readReach,
  refusal,
  requireAllowed,
} from './consistent-read';
import {
  hitting,
  holdingsDifference,
  requireUnchanged,
  type SeenChangeCode,
  verdictDifference,
} from './expectation';
import { destruction } from './manual';
import { endingNeed, nodeOf } from './needs';
import { withUnseenOf } from './token-rights';
import * as warning from './warning';
import { inSessionTurn } from './write';

/**
 * Throws unless the session is in the list. An unlisted session that locks a key exists, but is hidden from the token.
 * Such a token may not end it either (`session:write` includes `session:read`), and its effects are unknown.
 */
function requireListed(fresh: Fresh, action: ActionOf<'session.destroy'>): void {
  const { sessionId } = action;
  if (isGone(fresh, sessionId)) throw refusal('not-found', { code: 'no-session', facts: { sessionId } });
  requireAllowed(action, fresh);
}

/** The party whose verdict decides the friction: the first thing that the session holds, else its node. */
function partyOf({ world }: Fresh, sessionId: string) {
  const holders = [
    ...world.locks.flatMap((l) => l.holder ?? []),
    ...world.semaphores.flatMap((s) => s.holders),
  ];
  return holders.find((holder) => holder.sessionId === sessionId && holder.verdict !== 'ghost') ?? null;
}

export const destroySession: Act<'session.destroy'> = {
  async plan(action, context) {
    const { source, sessionId } = action;
    const read = await readReach(context);
    requireListed(read, action);
    const fresh = await withUnseenOf(context, read, sessionId);
    const session = fresh.index.session(sessionId);
    const held = heldBy(fresh, sessionId);
    const party = partyOf(fresh, sessionId);
    // No exception: the session is the subject, so every holding is touched.
    const touches = touchesOf(fresh, sessionId, sessionSubject({ source, id: sessionId }));
    const layouts = layoutsHeld(fresh, sessionId);
    const name = session?.row.name || shortId(sessionId);
    return {
      plan: {
        summary: { code: 'destroy-session', facts: { name, node: session?.row.node ?? null } },
        writes: [
          {
            operation: 'destroy-session',
            target: sessionId,
            condition: null,
            before: { code: 'locks-keys', facts: { keys: held.length } },
            after: { code: 'gone', facts: {} },
          },
        ],
        touches,
        warnings: [
          ...(held.some(({ as }) => as === 'lock') ? [warning.lockDelay(session)] : []),
          ...(touches.some(({ effect }) => effect === 'loses-slot') ? [risk.noLockDelay('semaphore')] : []),
          ...(touches.length > 0 ? warning.splitBrain(session) : []),
          ...layouts.map((one) => risk.holderNotices(one, fresh.world)),
          ...layouts.flatMap(({ layout }) => risk.commandLeft(layout, party)).slice(0, 1),
          warning.notConditional,
          ...warning.viewIncomplete(fresh),
        ],
        undo: { code: 'none-session', facts: {}, action: null },
        manual: destruction(context.client.settings, sessionId, {
          code: 'ends-session',
          facts: { sessionId },
        }),
        ...warning.frictionFor(party),
      },
      expect: { entries: [], ...hitting(sessionId, party, keysOf(held)) },
    };
  },

  shape: ({ sessionId }) => ({
    needs: [],
    fits: () => false,
    sessions: () => [sessionId],
    verdict: 'maybe',
    holdings: true,
  }),

  needs: async ({ sessionId }, asking) => endingNeed(await nodeOf(asking, sessionId)),

  apply(action, seen, context) {
    return inSessionTurn(action.sessionId, context.signal, () => applyDestroy(action, seen, context));
  },
};

async function applyDestroy(
  action: ActionOf<'session.destroy'>,
  seen: SeenChangeCode,
  context: ActContext,
): Promise<Outcome> {
  const { sessionId } = action;
  const before = await readHoldings(context, sessionId, []);
  if (isGone(before, sessionId) && seen.sessions.includes(sessionId))
    requireUnchanged([{ code: 'session-gone', facts: { sessionId } }], true);
  requireListed(before, action);
  requireUnchanged([
    ...holdingsDifference(seen, sessionId, keysOf(heldBy(before, sessionId))),
    ...verdictDifference(seen, partyOf(before, sessionId)),
  ]);
  const { freed, answerLost } = await endSession(context, before, sessionId, []);
  return {
    done: true,
    freed,
    after: null,
    warnings: answerLost ? [warning.answerLost] : [],
    parts: [],
  };
}

/**
 * One lock or semaphore of each layout that the session holds, because each layout notifies its process differently.
 */
function layoutsHeld({ world }: Fresh, sessionId: string): (Lock | Semaphore)[] {
  const held = [
    ...world.locks.filter((lock) => lock.holder?.sessionId === sessionId),
    ...world.semaphores.filter(({ holders }) => holders.some((holder) => holder.sessionId === sessionId)),
  ];
  return [...new Map(held.map((one) => [one.layout, one])).values()];
}
