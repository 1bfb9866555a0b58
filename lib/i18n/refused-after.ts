/**
 * The end of a silent session is not yet the next client's turn: the lock-delay follows, in its own sentence. Apart
 * from `sentences.ts`, which a board loads first.
 */
import type { Lock, Session } from '@/lib/domain/model';
import { formatDuration } from '@/lib/i18n/format/format';
import type { AllMessages } from './messages';

/** Empty without an end, a delay, or a known session of the holder. */
export function refusedAfter(
  { holder }: Lock,
  session: Session | null,
  { delay, units }: Pick<AllMessages, 'delay' | 'units'>,
): readonly string[] {
  const ends = holder?.expiry.kind === 'observed' && holder.expiry.latestMs !== null;
  if (!ends || session === null || session.lockDelayMs === 0) return [];
  return [delay.afterEnd(formatDuration(session.lockDelayMs, units))];
}
