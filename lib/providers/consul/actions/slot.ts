/** One slot of a semaphore: its holder, and the comparisons that take it off the record. */

import type { ActionOf } from '@/lib/domain/actions/action';
import type { KvRow, TxnOp } from '@/lib/providers/consul/client/wire';
import { contenderKey } from '@/lib/providers/consul/rows/coordination';
import { type ActContext, refusal } from './consistent-read';
import { type AskedRows, doubtOf, rewriteOp, type SemaphoreRows } from './semaphore-rows';
import { requireReadable } from './token-rights';
import { requireFits } from './write';

/** The key under the prefix that proves the session alive, normally its contender entry. */
export function entryOf({ rows, prefix }: SemaphoreRows, sessionId: string): KvRow | null {
  const own = rows.find((row) => row.key === contenderKey(prefix, sessionId));
  return own ?? rows.find((row) => row.session === sessionId) ?? null;
}

/**
 * Throws `not-held` unless the session is recorded and exists, and `forbidden` when the token cannot read the proof.
 * Throws `conflict-in-use` for a holder that locks nothing and is no ghost, where nothing can be compared or ended.
 */
export async function requireHolder(
  context: ActContext,
  semaphore: AskedRows,
  { sessionId, how }: ActionOf<'semaphore.evict'>,
): Promise<void> {
  if (!semaphore.reading?.holders?.includes(sessionId))
    throw refusal('not-held', { code: 'not-holder', facts: { sessionId } });
  if (semaphore.rows.some(({ session }) => session === sessionId)) return;
  if (semaphore.hidden.includes(sessionId))
    throw refusal('not-held', { code: 'session-hidden', facts: { sessionId } });
  await requireReadable(context, [contenderKey(semaphore.prefix, sessionId)]);
  const doubt = doubtOf(semaphore, sessionId);
  if (doubt === null) throw refusal('not-held', { code: 'is-ghost', facts: { sessionId } });
  if (doubt === 'no-session')
    throw refusal('conflict-in-use', { code: 'not-a-session', facts: { name: sessionId } });
  if (how === 'slot-only')
    throw refusal('conflict-in-use', { code: 'locks-nothing-here', facts: { sessionId } });
}

/**
 * Takes the holder out of the coordination entry by comparison. Empty when the holder is not recorded, or the entry is
 * not understood.
 */
export function unrecordOps({ lock, reading }: SemaphoreRows, sessionId: string): TxnOp[] {
  const coordination = reading?.coordination ?? null;
  if (lock === null || coordination === null || !coordination.holders.includes(sessionId)) return [];
  const holders = coordination.holders.filter((id) => id !== sessionId);
  return [rewriteOp(lock, coordination, { holders })];
}

/** The steps that remain once the session is gone: its record, and an entry that its behavior left unlocked. */
export function cleanUpOps(semaphore: SemaphoreRows, sessionId: string): TxnOp[] {
  const entry = semaphore.rows.find((row) => row.key === contenderKey(semaphore.prefix, sessionId));
  return [
    ...unrecordOps(semaphore, sessionId),
    ...(entry !== undefined && entry.session === null
      ? [{ verb: 'delete-cas' as const, key: entry.key, index: entry.modifyIndex }]
      : []),
  ];
}

/** Frees the slot alone, only while the session still locks the entry that was seen. */
export function slotOps(semaphore: SemaphoreRows, sessionId: string): TxnOp[] {
  const entry = entryOf(semaphore, sessionId);
  if (entry === null) throw new Error('A slot is taken by comparison with an entry, and there is none.');
  return [
    { verb: 'check-session', key: entry.key, session: sessionId },
    ...unrecordOps(semaphore, sessionId),
    ...(entry.key === contenderKey(semaphore.prefix, sessionId)
      ? [{ verb: 'delete-cas' as const, key: entry.key, index: entry.modifyIndex }]
      : []),
  ];
}

/** As `requireFits`, for the write that takes a holder off the record after its session has ended. */
export async function requireSendable(
  context: Pick<ActContext, 'client' | 'signal'>,
  semaphore: SemaphoreRows,
  sessionId: string,
): Promise<boolean> {
  const cas = unrecordOps(semaphore, sessionId);
  if (cas.length === 0) return false;
  // The check is as long as the later deletion of this entry.
  return requireFits(context, [
    ...cas,
    { verb: 'check-not-exists', key: contenderKey(semaphore.prefix, sessionId) },
  ]);
}
