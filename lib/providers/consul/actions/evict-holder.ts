/**
 * Evicts one holder of a semaphore: ends its session, or frees its slot alone. A comparison removes the record from the
 * coordination entry, which keeps its shape and flags. Records of other holders stay.
 */

import type { ActionOf } from '@/lib/domain/actions/action';
import type { Outcome, PlannedWrite } from '@/lib/domain/actions/plan';
import * as risk from '@/lib/domain/actions/risk';
import { type Holder, shortId, subjectId } from '@/lib/domain/model';
import type { Difference } from '@/lib/domain/refusal';
import { semaphoreSubject } from '@/lib/domain/subject';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { contenderKey, coordinationKey } from '@/lib/providers/consul/rows/coordination';
import { type Act, outcomeOf, type Prepared } from './act';
import { endSession, heldBy, isGone, keysOf, touchesOf } from './blast-radius';
import {
  type ActContext,
  type Fresh,
  readHoldings,
  readPrefix,
  readReach,
  readScope,
  refusal,
  requireAllowed,
  requireSemaphoreInView,
  requireTaken,
  semaphoreOf,
} from './consistent-read';
import {
  expectEntry,
  hitting,
  holdingsDifference,
  requireUnchanged,
  rowDifference,
  type SeenChangeCode,
  verdictDifference,
} from './expectation';
import { destruction, rewriting, slotFreeing } from './manual';
import { endingNeed, entriesNeed, holderOf, nodeOf } from './needs';
import { scopeOf } from './scope';
import {
  askedOfHolder,
  readSemaphore,
  requireUnderstood,
  type SemaphoreRows,
  semaphoreIn,
  semaphoreOfFresh,
} from './semaphore-rows';
import { cleanUpOps, entryOf, requireHolder, requireSendable, slotOps, unrecordOps } from './slot';
import { requireWritable, withUnseenOf } from './token-rights';
import * as warning from './warning';
import { converge, inSessionTurn, requireFits } from './write';

type Evict = ActionOf<'semaphore.evict'>;

const text = (bytes: Buffer) => bytes.toString('utf8');

const stored = (text: string) => ({ code: 'stored' as const, facts: { text } });

/** Throws for an unlisted session that locks nothing, because its end could not be seen. */
function requireSessionInView(fresh: Fresh, sessionId: string): void {
  if (isGone(fresh, sessionId)) throw refusal('not-found', { code: 'session-not-in-view', facts: {} });
}

async function planEvict(context: ActContext, fresh: Fresh, action: Evict): Promise<Prepared> {
  const { prefix, sessionId, how } = action;
  const rows = await askedOfHolder(context, fresh, action);
  const semaphore = semaphoreOf(fresh.world, prefix);
  if (semaphore === null || rows.lock === null)
    throw refusal('not-found', { code: 'no-semaphore', facts: { prefix } });
  await requireHolder(context, rows, action);
  // Consul's answer is newer than this world, which would still call the session a ghost.
  if (how === 'destroy-session') requireSessionInView(fresh, sessionId);
  requireAllowed(action, fresh);
  const holder = holderIn(fresh, action);
  const session = fresh.index.session(sessionId);
  const entry = entryOf(rows, sessionId);
  const touches = how === 'slot-only' ? [] : touchesOf(fresh, sessionId, semaphoreSubject(action));
  const name = holder?.label ?? shortId(sessionId);
  const withSession = how === 'destroy-session';
  const cas = unrecordOps(rows, sessionId);
  if (withSession) await requireSendable(context, rows, sessionId);
  else await requireFits(context, slotOps(rows, sessionId));
  const { settings } = context.client;
  return {
    plan: {
      summary: { code: withSession ? 'evict-holder' : 'take-slot', facts: { prefix, holder: name } },
      writes: [
        ...(withSession
          ? [
              {
                operation: 'destroy-session' as const,
                target: sessionId,
                condition: null,
                before: { code: 'holds-slot' as const, facts: { prefix } },
                after: { code: 'gone-with-all' as const, facts: {} },
              },
            ]
          : []),
        ...cas.map((op) => ({
          operation: 'update' as const,
          target: coordinationKey(prefix),
          condition: guard(withSession, 'unchanged-since-reread', rows.lock?.modifyIndex),
          before: stored(rows.reading?.coordination?.text ?? ''),
          after: 'value' in op ? stored(text(op.value)) : null,
        })),
        ...(entry?.key === contenderKey(prefix, sessionId)
          ? [
              {
                operation: 'delete' as const,
                target: entry.key,
                condition: guard(withSession, 'left-over-then', entry.modifyIndex),
                before: { code: 'locked-by' as const, facts: { sessionId } },
                after: null,
              },
            ]
          : []),
      ],
      touches,
      warnings: [
        risk.noLockDelay('semaphore'),
        risk.holderNotices(semaphore, fresh.world),
        ...risk.commandLeft(semaphore.layout, holder),
        warning.nextOfSlot(semaphore),
        ...warning.splitBrain(session),
        ...(withSession
          ? [...risk.holdsMore(touches.length), warning.notConditional]
          : [warning.sessionLivesOn(session), warning.mayRetake('slot')]),
        ...(withSession ? warning.viewIncomplete(fresh) : []),
      ],
      undo: { code: withSession ? 'none-session' : 'none-slot', facts: {}, action: null },
      manual: withSession
        ? [
            ...destruction(settings, sessionId, { code: 'ends-session', facts: { sessionId } }),
            ...rewriting(settings, cas, { code: 'then-off-record', facts: {} }),
          ]
        : slotFreeing(settings, slotOps(rows, sessionId)),
      ...warning.frictionFor(holder),
    },
    expect: {
      entries: [expectEntry(entry?.key ?? contenderKey(prefix, sessionId), entry)],
      ...hitting(sessionId, holder, withSession ? keysOf(heldBy(fresh, sessionId)) : null),
    },
  };
}

/** The condition of a write. After the session is destroyed, a new read guards it. */
function guard(
  withSession: boolean,
  code: 'unchanged-since-reread' | 'left-over-then',
  index: string | undefined,
): PlannedWrite['condition'] {
  return withSession ? { code, facts: {} } : { code: 'index-is', facts: { index: index ?? '' } };
}

/** Compares the entry by which the session holds. A slot that is released and taken again has another index. */
function difference(seen: SeenChangeCode, semaphore: SemaphoreRows): Difference[] {
  return seen.entries.flatMap(({ key }) =>
    rowDifference(seen, key, semaphore.rows.find((row) => row.key === key) ?? null),
  );
}

async function applyWithSession(action: Evict, seen: SeenChangeCode, context: ActContext): Promise<Outcome> {
  const { prefix, sessionId } = action;
  // A record that the token may not write would keep the slot for good after the session ends. This question precedes
  // the comparison, so that no time passes between comparison and destruction.
  await requireWritable(context, [coordinationKey(prefix), contenderKey(prefix, sessionId)]);
  const read = () => readHoldings(context, sessionId, scopeOf(semaphoreSubject(action)));
  let before = await read();
  // The same holds for a record that is too large to write. Only a large one takes a question to Consul, after which
  // everything is read again.
  if (await requireSendable(context, semaphoreOfFresh(before, prefix), sessionId)) before = await read();
  requireTaken(before, coordinationKey(prefix));
  const rows = await askedOfHolder(context, before, action);
  const isEvicted = isGone(before, sessionId) && !holds(rows, sessionId);
  requireUnchanged(
    isEvicted
      ? [{ code: 'session-gone', facts: { sessionId } }]
      : [
          ...difference(seen, rows),
          ...holdingsDifference(seen, sessionId, keysOf(heldBy(before, sessionId))),
          ...verdictDifference(seen, holderIn(before, action)),
        ],
    isEvicted,
  );
  await requireHolder(context, rows, action);
  requireSessionInView(before, sessionId);
  const ended = await endSession(context, before, sessionId, scopeOf(semaphoreSubject(action)));
  // The read that showed the session gone also shows its record. The write fails if the record has moved since.
  let known: readonly KvRow[] | null = ended.after.view.rows;
  const left = async () => {
    const rows = known ?? (await readPrefix(context, prefix));
    known = null;
    return cleanUpOps(semaphoreIn(rows, prefix), sessionId);
  };
  let cleaned = { answerLost: false };
  try {
    cleaned = await converge(context, {
      // A lost comparison is a success when the record is gone, because any Go client prunes it.
      next: async () => {
        const ops = await left();
        return ops.length === 0 ? null : ops;
      },
      reached: async () => (await left()).length === 0,
    });
  } catch (cause) {
    throw refusal('unknown-result', { code: 'record-left', facts: {} }, { cause });
  }
  // The slot is free even when no entry was freed with it.
  const others = ended.freed.filter((one) => subjectId(one) !== subjectId(semaphoreSubject(action)));
  return outcomeOf(context, {
    freed: [semaphoreSubject(action), ...others],
    lost: ended.answerLost || cleaned.answerLost,
    before: ended.after,
    subject: semaphoreSubject(action),
  });
}

const holds = ({ rows, reading }: SemaphoreRows, sessionId: string) =>
  rows.some(({ session }) => session === sessionId) || reading?.holders?.includes(sessionId) === true;

const holderIn = ({ world }: Fresh, { prefix, sessionId }: Evict): Holder | null =>
  semaphoreOf(world, prefix)?.holders.find((holder) => holder.sessionId === sessionId) ?? null;

async function applySlotOnly(action: Evict, seen: SeenChangeCode, context: ActContext): Promise<Outcome> {
  const { prefix, sessionId } = action;
  const read = () => readSemaphore(context, prefix);
  const judged = await readScope(context, scopeOf(semaphoreSubject(action)));
  requireUnchanged(verdictDifference(seen, holderIn(judged, action)));
  const { answerLost } = await converge(context, {
    next: async () => {
      const rows = await read();
      requireUnchanged(difference(seen, rows), !holds(rows, sessionId));
      requireUnderstood(rows);
      await requireHolder(context, rows, action);
      return slotOps(rows, sessionId);
    },
    reached: async () => !((await read()).reading?.holders ?? []).includes(sessionId),
  });
  return outcomeOf(context, {
    freed: [semaphoreSubject(action)],
    lost: answerLost,
    subject: semaphoreSubject(action),
  });
}

export const evictHolder: Act<'semaphore.evict'> = {
  async plan(action, context) {
    requireSemaphoreInView(context, action.prefix);
    const fresh = await withUnseenOf(context, await readReach(context), action.sessionId, action.prefix);
    return planEvict(context, fresh, action);
  },

  shape: ({ prefix, sessionId, how }) => ({
    needs: [],
    // Its contender entry, present or absent, or another key under the prefix that it locks.
    fits: ({ key, session, seen }) =>
      seen === undefined &&
      (key === contenderKey(prefix, sessionId) || (key.startsWith(prefix) && session === sessionId)),
    entriesMin: 1,
    entriesMax: 1,
    sessions: () => [sessionId],
    verdict: 'always',
    holdings: how === 'destroy-session',
  }),

  async needs({ prefix, sessionId, how }, asking) {
    const entries = entriesNeed(prefix, sessionId);
    if (how === 'slot-only') return entries;
    const listed = await nodeOf(asking, sessionId);
    const holder =
      listed.node === undefined ? await holderOf(asking, contenderKey(prefix, sessionId)) : listed;
    const end = endingNeed(holder);
    return { ...end, asks: [...end.asks, ...entries.asks], named: [...end.named, ...entries.named] };
  },

  apply(action, seen, context) {
    requireSemaphoreInView(context, action.prefix);
    if (seen.entries.length === 0 || !seen.sessions.includes(action.sessionId))
      throw refusal('invalid', { code: 'not-in-plan', facts: { name: action.sessionId } });
    if (action.how === 'slot-only') return applySlotOnly(action, seen, context);
    return inSessionTurn(action.sessionId, context.signal, () => applyWithSession(action, seen, context));
  },
};
