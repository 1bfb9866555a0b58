/**
 * Evicting one holder of a semaphore: with its session, or from its slot alone. The record in the coordination
 * entry is removed by comparison, in the shape and with the flags it was found, and never together with others.
 */
import type { Outcome } from '@/lib/domain/action';
import { type Holder, type Subject, shortId } from '@/lib/domain/model';
import type { Planned } from '@/lib/domain/provider';
import { type Act, type ActionOf, outcomeOf } from './act';
import { freedBetween, heldBy, isGone, keysOf, touchesOf } from './blast';
import { expectEntry, holdingsDifference, holdingsOf, requireUnchanged, rowDifference } from './expectation';
import {
  type ActContext,
  contenderKey,
  coordinationKey,
  type Fresh,
  readAll,
  readPrefix,
  refusal,
  requireInView,
  requireUnderstood,
  type SemaphoreRows,
  semaphoreIn,
  semaphoreOf,
} from './fresh';
import { comment, curlDestroy, curlTxn } from './manual';
import { cleanUpOps, entryOf, requireHolder, slotOps, unrecordOps } from './slot';
import * as warning from './warning';
import { converge, destroySession } from './write';

type Evict = ActionOf<'semaphore.evict'>;

const subjectOf = (prefix: string): Subject => ({ kind: 'semaphore', prefix });

const text = (bytes: Buffer) => bytes.toString('utf8');

function planEvict(context: ActContext, fresh: Fresh, { prefix, sessionId, how }: Evict): Planned {
  const rows = semaphoreIn(fresh.view.rows, prefix);
  const semaphore = semaphoreOf(fresh.world, prefix);
  if (semaphore === null || rows.lock === null)
    throw refusal('not-found', `There is no semaphore ${prefix}.`);
  requireHolder(rows, sessionId);
  if (how === 'slot-only') requireUnderstood(rows);
  const holder: Holder | null = semaphore.holders.find((h) => h.sessionId === sessionId) ?? null;
  const session = fresh.index.session(sessionId);
  const entry = entryOf(rows, sessionId);
  const touches = how === 'slot-only' ? [] : touchesOf(fresh, sessionId, subjectOf(prefix));
  const name = holder?.label ?? shortId(sessionId);
  const withSession = how === 'destroy-session';
  const cas = unrecordOps(rows, sessionId);
  const { settings } = context.client;
  return {
    plan: {
      summary: withSession
        ? `Evict ${name} from ${prefix} by destroying its session.`
        : `Take the slot of ${name} in ${prefix}. Its session lives on.`,
      writes: [
        ...(withSession
          ? [
              {
                operation: 'destroy-session' as const,
                target: sessionId,
                condition: null,
                before: `holds a slot of ${prefix}`,
                after: 'gone, with everything that it holds',
              },
            ]
          : []),
        ...cas.map((op) => ({
          operation: 'update' as const,
          target: coordinationKey(prefix),
          condition: withSession
            ? 'nothing else changed since it was read again after that'
            : `index ${rows.lock?.modifyIndex}`,
          before: rows.reading?.coordination?.text ?? null,
          after: 'value' in op ? text(op.value) : null,
        })),
        ...(entry?.key === contenderKey(prefix, sessionId)
          ? [
              {
                operation: 'delete' as const,
                target: entry.key,
                condition: withSession
                  ? 'it is left over, at the index read then'
                  : `index ${entry.modifyIndex}`,
                before: `locked by ${sessionId}`,
                after: null,
              },
            ]
          : []),
      ],
      touches,
      warnings: [
        warning.noLockDelayForSlots,
        ...warning.slotHolderTold(semaphore.layout),
        ...warning.splitBrain(session),
        ...(withSession
          ? [...warning.holdsMore(touches.length), warning.notConditional]
          : [warning.sessionLivesOn(session), warning.mayRetakeSlot]),
        ...warning.layoutCaution(semaphore.layout),
        ...(withSession ? warning.viewIncomplete(fresh) : []),
      ],
      manual: withSession
        ? [
            comment(`Ends session ${sessionId}; Consul checks nothing before.`),
            curlDestroy(settings, sessionId),
            ...(cas.length === 0
              ? []
              : [
                  comment(
                    'Then takes it off the record. 409 "index is stale": a client did so already, or came or went.',
                  ),
                  curlTxn(settings, cas),
                ]),
          ]
        : [
            comment('Frees the slot alone; 409 says that something moved, and then nothing was written.'),
            curlTxn(settings, slotOps(rows, sessionId)),
          ],
      ...warning.frictionFor(holder),
    },
    expect: {
      entries: [expectEntry(entry?.key ?? contenderKey(prefix, sessionId), entry)],
      sessions: [sessionId],
      ...(withSession ? { holdings: holdingsOf(keysOf(heldBy(fresh, sessionId))) } : {}),
    },
  };
}

/** Compares the entry by which the session holds: a slot given back and taken anew has another index. */
function difference(expect: Parameters<typeof rowDifference>[0], semaphore: SemaphoreRows): string[] {
  return expect.entries.flatMap(({ key }) =>
    rowDifference(expect, key, semaphore.rows.find((row) => row.key === key) ?? null),
  );
}

async function applyWithSession(
  { prefix, sessionId }: Evict,
  expect: Parameters<typeof rowDifference>[0],
  context: ActContext,
): Promise<Outcome> {
  const before = await readAll(context);
  const rows = semaphoreIn(before.view.rows, prefix);
  requireUnchanged([
    ...difference(expect, rows),
    ...holdingsDifference(expect, sessionId, keysOf(heldBy(before, sessionId))),
  ]);
  requireHolder(rows, sessionId);
  let after = before;
  const destroyed = await destroySession(context, sessionId, async () => {
    after = await readAll(context, before);
    return isGone(after, sessionId);
  });
  const left = async () => cleanUpOps(semaphoreIn(await readPrefix(context, prefix), prefix), sessionId);
  let cleaned = { answerLost: false };
  try {
    cleaned = await converge(context, {
      // A lost comparison is success when the record is gone: any Go client that looks prunes it, too.
      next: async () => {
        const ops = await left();
        return ops.length === 0 ? null : ops;
      },
      reached: async () => (await left()).length === 0,
    });
  } catch (cause) {
    throw refusal(
      'unknown-result',
      'The session was destroyed, but its record in the coordination entry could not be cleaned up. Look again, and prune it if it is still there.',
      [cause instanceof Error ? cause.message : String(cause)],
    );
  }
  return outcomeOf(context, {
    freed: freedBetween(before, after, sessionId),
    lost: destroyed.answerLost || cleaned.answerLost,
    before: after,
    after: ({ world }) => semaphoreOf(world, prefix),
  });
}

async function applySlotOnly(
  { prefix, sessionId }: Evict,
  expect: Parameters<typeof rowDifference>[0],
  context: ActContext,
): Promise<Outcome> {
  const read = async () => semaphoreIn(await readPrefix(context, prefix), prefix);
  const { answerLost } = await converge(context, {
    next: async () => {
      const rows = await read();
      requireUnchanged(difference(expect, rows));
      requireUnderstood(rows);
      requireHolder(rows, sessionId);
      return slotOps(rows, sessionId);
    },
    reached: async () => !((await read()).reading?.holders ?? []).includes(sessionId),
  });
  return outcomeOf(context, {
    freed: [subjectOf(prefix)],
    lost: answerLost,
    after: ({ world }) => semaphoreOf(world, prefix),
  });
}

export const evictHolder: Act<'semaphore.evict'> = {
  async plan(action, context) {
    requireInView(context, action.prefix);
    return planEvict(context, await readAll(context), action);
  },

  apply(action, expect, context) {
    requireInView(context, action.prefix);
    if (expect.entries.length === 0 || !expect.sessions.includes(action.sessionId))
      throw refusal('invalid', 'The plan did not look at this holder. Plan again.');
    return (action.how === 'slot-only' ? applySlotOnly : applyWithSession)(action, expect, context);
  },
};
