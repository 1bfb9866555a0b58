'use client';
import { useMessages } from '@/components/locale';
import { nameParts } from '@/lib/client/format';
import type { Messages } from '@/lib/client/messages';
import { useSnapshot } from '@/lib/client/queries';
import { type Action, find } from '@/lib/domain/action';
import { shortId, type World } from '@/lib/domain/model';
import { ActionButton } from './action-button';

interface Words {
  readonly text: string;
  readonly label: string;
  readonly name: string;
}

/** What to call an action and its subject, from what is in view. */
export function actionWords(action: Action, world: World, m: Messages): Words {
  const { buttons } = m.action;
  const found = find(action, world);
  switch (action.type) {
    case 'lock.release': {
      const label = found.lock?.holder?.label ?? '';
      return { text: buttons['lock.release'](nameParts(action.key).last), label, name: action.key };
    }
    case 'semaphore.evict': {
      const holder = found.semaphore?.holders.find((h) => h.sessionId === action.sessionId);
      const label = holder?.label ?? shortId(action.sessionId);
      return { text: buttons['semaphore.evict'](label), label, name: action.prefix };
    }
    case 'semaphore.prune': {
      const ghosts = (found.semaphore?.holders ?? []).filter((h) => h.verdict === 'ghost').length;
      const text = buttons['semaphore.prune'](ghosts);
      return { text, label: m.action.ghosts(ghosts), name: action.prefixes.join(', ') };
    }
    case 'semaphore.resize':
      return { text: buttons['semaphore.resize'], label: '', name: action.prefix };
    case 'session.destroy': {
      const label = found.session?.name || shortId(action.sessionId);
      return { text: buttons['session.destroy'], label, name: action.sessionId };
    }
    case 'lock.delete':
      return { text: buttons['lock.delete'], label: '', name: action.key };
    case 'semaphore.delete':
      return { text: buttons['semaphore.delete'], label: '', name: action.prefix };
  }
}

/** The button of any action, with the words that belong to it. */
export function MendButton({ action, tone = 'plain' }: { action: Action; tone?: 'plain' | 'danger' }) {
  const m = useMessages();
  const world = useSnapshot();
  const words = actionWords(action, world, m);
  const limit = action.type === 'semaphore.resize' ? (find(action, world).semaphore?.limit ?? null) : null;
  return <ActionButton action={action} tone={tone} limit={limit} {...words} />;
}
