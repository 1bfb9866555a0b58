/**
 * That the end of a silent session is not yet the next one's turn: the lock-delay of the session, in a sentence of its own after
 * that of the lock. Apart from `sentences.ts`, which a board loads first and which has no room for it.
 */
import type { Lock, Session } from '@/lib/domain/model';
import { formatDuration } from '@/lib/i18n/format/format';
import type { Messages } from './messages';

/** Empty where no end is said, where there is no delay, or where the session (that of the holder) is not known. */
export function refusedAfter(
  { holder }: Lock,
  session: Session | null,
  { delay, units }: Pick<Messages, 'delay' | 'units'>,
): readonly string[] {
  const ends = holder?.expiry.kind === 'observed' && holder.expiry.latestMs !== null;
  if (!ends || session === null || session.lockDelayMs === 0) return [];
  return [delay.afterEnd(formatDuration(session.lockDelayMs, units))];
}
