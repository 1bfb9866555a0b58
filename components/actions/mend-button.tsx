'use client';
import { useMessages } from '@/components/dom/locale';
import { useSnapshot } from '@/lib/client/shown';
import type { Action } from '@/lib/domain/actions/action';
import { actionWords } from '@/lib/view/actions/button-words';
import { ActionButton } from './action-button';

export function MendButton({ action, tone = 'plain' }: { action: Action; tone?: 'plain' | 'danger' }) {
  const m = useMessages();
  const world = useSnapshot();
  const words = actionWords(action, world, m);
  return <ActionButton action={action} tone={tone} {...words} />;
}
