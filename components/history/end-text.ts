/** How a hold ended, in words. */
import type { Hold } from '@/lib/domain/history/episode';
import type { AllMessages } from '@/lib/i18n/messages';
import { byWhom } from './deed-text';

export function endText({ to, end, deed }: Hold, m: AllMessages): string {
  const { history } = m;
  if (to === null) return history.holds;
  const how = end === null ? history.unsettled : history.ends[end];
  return deed === null ? how : `${how}, ${byWhom(deed, m)}`;
}
