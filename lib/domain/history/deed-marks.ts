/** Actions of Signalbox as the audit tells them, also those after which no hold, wait, finding or limit changed. Pure. */
import { type Deed, deedOf, type ShownRow } from '@/lib/domain/actions/deed';
import { identityName } from '@/lib/domain/identity';
import type { DeedMark } from './episode';

/** What was refused, or is not known to have been written, is none. */
const wasDone = ({ state }: Deed): boolean => state === 'done' || state === 'partly';

/** By their time, as the history marks them: by the place of the intent, at the time of the outcome. */
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
