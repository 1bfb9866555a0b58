/** The words of a button: the action and its subject. */
import type { Planned } from '@/lib/client/api';
import { type Action, descriptorOf, find, subjectsOf } from '@/lib/domain/actions/action';
import { targetOf } from '@/lib/domain/actions/whom';
import { capabilities } from '@/lib/domain/capabilities';
import { holdersOf, holdersWith } from '@/lib/domain/holders';
import { type Lock, type Party, type Semaphore, shortId, subjectName, type World } from '@/lib/domain/model';
import { cutName, nameParts } from '@/lib/i18n/format/format';
import type { Messages } from '@/lib/i18n/messages';
import type { DialogRequest } from './request';

interface Named extends Pick<DialogRequest, 'label' | 'name'> {
  /** The lock that it is about, as shown. */
  readonly lock?: Lock | null;
}

/** Characters of a name in a title, and on a button. A caller that shows a cut name has the whole in a title. */
const titleMax = 48;
const buttonMax = 32;

interface Words {
  readonly text: string;
  /** The whole text, where the button shows a part of it. */
  readonly whole?: string;
  readonly label: string;
  readonly name: string;
}

function onButton(text: (name: string) => string, name: string): Pick<Words, 'text' | 'whole'> {
  const cut = cutName(name, buttonMax);
  return cut === name ? { text: text(name) } : { text: text(cut), whole: text(name) };
}

const partiesOf = (of: Lock | Semaphore): readonly Party[] => [...holdersOf(of), ...(of.waiters ?? [])];

/** The label of the party that the action hits; '' where it names none. */
function labelOf(action: Action, world: World): string {
  const { lock, semaphore, session } = find(action, world);
  const of = lock ?? semaphore;
  const id = targetOf(action, lock) ?? '';
  const isIt = ({ sessionId }: Party) => sessionId === id;
  switch (descriptorOf(action).hits) {
    case 'holder':
      return (of === null ? undefined : holdersOf(of).find(isIt))?.label ?? shortId(id);
    case 'slot':
    case 'waiter':
      return (of === null ? undefined : partiesOf(of).find(isIt))?.label ?? shortId(id);
    case 'session':
      return session?.name || shortId(id);
    default:
      return '';
  }
}

/** The words for an action and its subject, from the rows in view. */
export function actionWords(action: Action, world: World, m: Messages): Words {
  const { buttons } = m.action;
  if ('prefixes' in action) {
    const prefixes = new Set(action.prefixes);
    const ghosts = world.semaphores
      .filter(({ source, prefix }) => source === action.source && prefixes.has(prefix))
      .reduce((sum, semaphore) => sum + holdersWith(semaphore, 'ghost'), 0);
    const [only] = action.prefixes;
    const name = prefixes.size === 1 && only !== undefined ? only : m.action.semaphores(prefixes.size);
    return { text: buttons[action.type](ghosts), label: m.action.ghosts(ghosts), name };
  }
  const label = labelOf(action, world);
  const name = subjectsOf(action).map(subjectName).join('');
  if (!('how' in action)) return { text: buttons[action.type], label, name };
  // One of several readers is named, because the others stay.
  const named =
    'key' in action && !('holder' in action && action.holder !== undefined)
      ? nameParts(action.key).last
      : label;
  return { ...onButton(buttons[action.type], named), label, name };
}

/** Without the subject, which the page names. */
export function menuText(action: Action, m: Messages): string {
  return m.action.menu['how' in action && action.how === 'hand-over' ? 'hand-over' : action.type];
}

/**
 * True when the holder's session continues without the lock. A lock without sessions is released. `null`: the lock is
 * unknown.
 */
export const handsOver = (action: Action, lock: Pick<Lock, 'layout'> | null): boolean =>
  'how' in action &&
  action.how === 'hand-over' &&
  (lock === null || capabilities[lock.layout].holds === 'session');

/** `null`: the action's own words fit. */
function wayOf(action: Action, { lock = null }: Named) {
  if (handsOver(action, lock)) return 'hand-over';
  return 'how' in action && action.how === 'slot-only' ? action.how : null;
}

/** The ghosts that the plan will prune, once there is one. It may leave some that are shown as ghosts. */
export function namedBy(request: Named, planned: Planned | null, m: Messages): Named {
  const { code, facts } = planned?.plan.summary ?? { code: null };
  switch (code) {
    case 'prune-one':
      return { label: m.action.ghosts(facts.ghosts), name: facts.prefix };
    case 'prune-many':
      return { label: m.action.ghosts(facts.ghosts), name: m.action.semaphores(facts.semaphores) };
    default:
      return request;
  }
}

/** Verb, object and place; `max`: characters of a name. */
export function titleOf(action: Action, named: Named, m: Messages, max = titleMax): string {
  const way = wayOf(action, named);
  const label = cutName(named.label, max);
  const name = cutName(named.name, max);
  return way === null ? m.action.titles[action.type](label, name) : m.action.titlesByWay[way](label, name);
}

/** Verb and object, for the button: the place stands in the title. */
export function verbOf(action: Action, named: Named, m: Messages): string {
  const way = wayOf(action, named);
  const label = cutName(named.label, buttonMax);
  const name = cutName(named.name, buttonMax);
  return way === null ? m.action.verbs[action.type](label, name) : m.action.verbsByWay[way](label, name);
}
