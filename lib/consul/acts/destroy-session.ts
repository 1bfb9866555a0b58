/** Destroying a session, with everything that it holds. */
import { shortId } from '@/lib/domain/model';
import type { Act } from './act';
import { freedBetween, heldBy, isGone, keysOf, touchesOf } from './blast';
import { holdingsDifference, holdingsOf, requireUnchanged } from './expectation';
import { type Fresh, readAll, refusal } from './fresh';
import { comment, curlDestroy } from './manual';
import * as warning from './warning';
import { destroySession as destroy } from './write';

/** A session is there when it is listed, and also when it locks a key: Consul frees both in one entry. */
function isThere(fresh: Fresh, sessionId: string): boolean {
  return !isGone(fresh, sessionId);
}

/** The verdict that decides the friction: of the first thing that it holds, else of its node. */
function partyOf({ world }: Fresh, sessionId: string) {
  const holders = [
    ...world.locks.flatMap((l) => l.holder ?? []),
    ...world.semaphores.flatMap((s) => s.holders),
  ];
  return holders.find((holder) => holder.sessionId === sessionId && holder.verdict !== 'ghost') ?? null;
}

export const destroySession: Act<'session.destroy'> = {
  async plan({ sessionId }, context) {
    const fresh = await readAll(context);
    if (!isThere(fresh, sessionId)) throw refusal('not-found', `There is no session ${shortId(sessionId)}.`);
    const session = fresh.index.session(sessionId);
    const held = heldBy(fresh, sessionId);
    // Without an exception: the session itself is the subject, and everything else is touched.
    const touches = touchesOf(fresh, sessionId, { kind: 'session', id: sessionId });
    const name = session?.row.name || shortId(sessionId);
    return {
      plan: {
        summary: `Destroy session ${name}${session === null ? '' : ` on node ${session.row.node}`}, and with it everything that it holds.`,
        writes: [
          {
            operation: 'destroy-session',
            target: sessionId,
            condition: null,
            before:
              held.length === 0
                ? 'holds nothing'
                : `locks ${held.length} ${held.length === 1 ? 'key' : 'keys'}`,
            after: 'gone',
          },
        ],
        touches,
        warnings: [
          ...(held.some(({ as }) => as === 'lock') ? [warning.lockDelay(session)] : []),
          ...(held.some(({ as }) => as === 'slot') ? [warning.noLockDelayForSlots] : []),
          ...(held.length > 0 ? warning.splitBrain(session) : []),
          ...cautions(fresh, sessionId),
          warning.notConditional,
          ...warning.viewIncomplete(fresh),
        ],
        manual: [
          comment(`Ends session ${sessionId}; Consul checks nothing before.`),
          curlDestroy(context.client.settings, sessionId),
        ],
        ...warning.frictionFor(partyOf(fresh, sessionId)),
      },
      expect: { entries: [], sessions: [sessionId], holdings: holdingsOf(keysOf(held)) },
    };
  },

  async apply({ sessionId }, expect, context) {
    const before = await readAll(context);
    if (!isThere(before, sessionId)) {
      if (!expect.sessions.includes(sessionId))
        throw refusal('not-found', `There is no session ${shortId(sessionId)}.`);
      requireUnchanged([`session ${shortId(sessionId)} existed, is gone now`]);
    }
    requireUnchanged(holdingsDifference(expect, sessionId, keysOf(heldBy(before, sessionId))));
    let after = before;
    const { answerLost } = await destroy(context, sessionId, async () => {
      after = await readAll(context, before);
      return isGone(after, sessionId);
    });
    return {
      done: true,
      freed: freedBetween(before, after, sessionId),
      after: null,
      warnings: answerLost ? [warning.answerLost] : [],
      parts: [],
    };
  },
};

/** What is special about the layouts of the locks and semaphores that the session holds. */
function cautions({ world }: Fresh, sessionId: string) {
  const layouts = new Set([
    ...world.locks.filter((lock) => lock.holder?.sessionId === sessionId).map((lock) => lock.layout),
    ...world.semaphores
      .filter(({ holders }) => holders.some((holder) => holder.sessionId === sessionId))
      .map((semaphore) => semaphore.layout),
  ]);
  return [...layouts].flatMap((layout) => warning.layoutCaution(layout));
}
