'use client';
import { useMessages } from '@/components/dom/locale';
import { useSnapshot } from '@/lib/client/page-data';
import type { Action } from '@/lib/domain/actions/action';
import type { Finding } from '@/lib/domain/findings/finding';
import { same } from '@/lib/domain/world/change';
import { actionWords } from '@/lib/view/actions/button-words';
import { ActionButton } from './action-button';

/**
 * True when a finding that needs attention recommends this action. Only that makes a button red. The grounds of a
 * finding without a remedy recommend nothing, because a person has to judge the holder first.
 */
function isRecommended(action: Action, findings: readonly Finding[]): boolean {
  const offers = (mend: Action | null) => mend?.type === action.type && same(mend, action);
  return findings.some(
    ({ severity, mend, grounds }) =>
      severity !== 'notice' &&
      mend !== null &&
      (offers(mend) || grounds.some((ground) => offers(ground.mend))),
  );
}

/** The button of any action, with its words. On a healthy subject it is neutral, and its dialog warns. */
export function MendButton({ action, tone }: { action: Action; tone?: 'plain' | 'danger' }) {
  const m = useMessages();
  const snapshot = useSnapshot();
  const words = actionWords(action, snapshot, m);
  return (
    <ActionButton
      action={action}
      tone={tone ?? (isRecommended(action, snapshot.findings) ? 'danger' : 'plain')}
      {...words}
    />
  );
}
