/** How long a hold lasted, and how it ended, in words. */
import { type Hold, lastedBasis, lastedMs } from '@/lib/domain/history/episode';
import { formatDuration } from '@/lib/i18n/format/format';
import type { AllMessages } from '@/lib/i18n/messages';
import { byWhom } from './deed-text';

export function endText({ to, end, deed }: Hold, m: Pick<AllMessages, 'history'>): string {
  const { history } = m;
  if (to === null) return history.holds;
  const how = end === null ? history.unsettled : history.ends[end];
  return deed === null ? how : `${how}, ${byWhom(deed, m)}`;
}

/** With the sign of a bound where its beginning or its end was missed. */
export const lastedText = (
  hold: Pick<Hold, 'from' | 'to'>,
  nowMs: number,
  { history, units }: Pick<AllMessages, 'history' | 'units'>,
) => history.lasted[lastedBasis(hold)](formatDuration(lastedMs(hold, nowMs), units));
