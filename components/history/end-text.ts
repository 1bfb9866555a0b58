/** The length and the end of a hold, and the clearing of a finding, in words. */
import { type FindingEpisode, type Hold, lastedBasis, lastedMs } from '@/lib/domain/history/episode';
import { formatDuration } from '@/lib/i18n/format/format';
import type { AllMessages } from '@/lib/i18n/messages';
import { byWhom } from './deed-text';

export function endText({ to, end, deed }: Hold, m: Pick<AllMessages, 'history'>): string {
  const { history } = m;
  if (to === null) return history.holds;
  const how = end === null ? history.unsettled : history.ends[end];
  return deed === null ? how : `${how}, ${byWhom(deed, m)}`;
}

/** The end with the lock-delay after it, and the fencing token. */
export function wholeEndText(hold: Hold, m: Pick<AllMessages, 'history' | 'units'>): string {
  const { followed, token, and } = m.history.detail;
  return [
    endText(hold, m),
    ...(hold.delayMs === null ? [] : [followed(formatDuration(hold.delayMs, m.units))]),
    ...(hold.token === null ? [] : [token(hold.token)]),
  ].join(and);
}

/** A finding's name, and what cleared it. */
export function clearedText(
  { code, cleared, deed }: FindingEpisode,
  m: Pick<AllMessages, 'findings' | 'history'>,
): string {
  const { cleared: words, and } = m.history.detail;
  return [
    m.findings[code].short,
    ...(cleared === null ? [] : [deed === null ? words[cleared] : `${words[cleared]}, ${byWhom(deed, m)}`]),
  ].join(and);
}

/** The length, with the sign of a bound where its beginning or its end was missed. */
export const lastedText = (
  hold: Pick<Hold, 'from' | 'to'>,
  nowMs: number,
  { history, units }: Pick<AllMessages, 'history' | 'units'>,
) => history.lasted[lastedBasis(hold)](formatDuration(lastedMs(hold, nowMs), units));
