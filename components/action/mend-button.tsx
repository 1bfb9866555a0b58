'use client';
import { useAllMessages } from '@/components/locale';
import { useSnapshot } from '@/lib/client/shown';
import type { Action } from '@/lib/domain/action';
import { ActionButton } from './action-button';
import { actionWords } from './words';

/** The button of any action, with the words that belong to it. */
export function MendButton({ action, tone = 'plain' }: { action: Action; tone?: 'plain' | 'danger' }) {
  const m = useAllMessages();
  const world = useSnapshot();
  const words = actionWords(action, world, m);
  return <ActionButton action={action} tone={tone} {...words} />;
}
