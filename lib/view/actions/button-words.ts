/** What to call an action and its subject. */
import { type Action, find } from '@/lib/domain/actions/action';
import { holdersWith } from '@/lib/domain/holders';
import { shortId, type World } from '@/lib/domain/model';
import { cutName, nameParts } from '@/lib/i18n/format/format';
import type { Messages } from '@/lib/i18n/messages';
import { buttonMax } from './title';

interface Words {
  readonly text: string;
  /** Where the text is too long for a button. */
  readonly whole?: string;
  readonly label: string;
  readonly name: string;
}

function onButton(text: (name: string) => string, name: string): Pick<Words, 'text' | 'whole'> {
  const cut = cutName(name, buttonMax);
  return cut === name ? { text: text(name) } : { text: text(cut), whole: text(name) };
}

/** What to call an action and its subject, from what is in view. */
export function actionWords(action: Action, world: World, m: Messages): Words {
  const { buttons } = m.action;
  const found = find(action, world);
  switch (action.type) {
    case 'lock.release': {
      const label = found.lock?.holder?.label ?? '';
      return { ...onButton(buttons['lock.release'], nameParts(action.key).last), label, name: action.key };
    }
    case 'semaphore.evict': {
      const holder = found.semaphore?.holders.find((h) => h.sessionId === action.sessionId);
      const label = holder?.label ?? shortId(action.sessionId);
      return { ...onButton(buttons['semaphore.evict'], label), label, name: action.prefix };
    }
    case 'semaphore.prune': {
      const asked = new Set(action.prefixes);
      const ghosts = world.semaphores
        .filter(({ prefix }) => asked.has(prefix))
        .reduce((sum, semaphore) => sum + holdersWith(semaphore, 'ghost'), 0);
      const [only] = action.prefixes;
      const name = asked.size === 1 && only !== undefined ? only : m.action.semaphores(asked.size);
      return { text: buttons['semaphore.prune'](ghosts), label: m.action.ghosts(ghosts), name };
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

/** Without the subject, which the page names. */
export function menuText(action: Action, m: Messages): string {
  return m.action.menu['how' in action && action.how === 'hand-over' ? 'hand-over' : action.type];
}
