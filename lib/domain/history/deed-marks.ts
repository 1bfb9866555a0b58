/** Actions of Signalbox in the audit, also those that changed no hold, wait, finding or limit. Pure. */
import { type Deed, deedOf, type ShownRow } from '@/lib/domain/actions/deed';
import { identityName } from '@/lib/domain/identity';
import type { DeedMark } from './episode';

/** False for an action that was refused, or whose write is uncertain. */
const wasDone = ({ state }: Deed): boolean => state === 'done' || state === 'partly';

/** The marks in order of time. A mark has the `seq` of the intent and the time of the outcome. */
export function deedMarksIn(rows: readonly ShownRow[], nowMs: number): readonly DeedMark[] {
  const threads = new Map<string, ShownRow[]>();
  for (const row of rows) threads.set(row.thread, [...(threads.get(row.thread) ?? []), row]);
  return rows
    .filter(({ kind, action }) => kind === 'intent' && action !== null)
    .map((head) => deedOf(head, threads.get(head.thread) ?? [], nowMs))
    .filter(wasDone)
    .map(({ head, rest }) => ({
      seq: head.seq ?? null,
      by: identityName(head.who),
      type: head.action ?? '',
      reason: head.reason === '' ? null : head.reason,
      atMs: rest.find(({ kind }) => kind === 'outcome')?.atMs ?? head.atMs,
    }))
    .sort((a, b) => a.atMs - b.atMs);
}
