/** What a dialog and its button are called, by the way that is chosen. */
import type { Planned } from '@/lib/client/api';
import type { Action } from '@/lib/domain/actions/action';
import { cutName } from '@/lib/i18n/format/format';
import type { Messages } from '@/lib/i18n/messages';
import type { Request } from './request';

type Named = Pick<Request, 'label' | 'name'>;

/** Characters of a name in a title, and on a button. Whoever shows them cut has the whole in a title of its own. */
const titleMax = 48;
export const buttonMax = 32;

const wayOf = (action: Action) => ('how' in action && action.how !== 'destroy-session' ? action.how : null);

/** By what the plan will prune, once there is one: it may leave some of those alone that are shown as ghosts. */
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
  const way = wayOf(action);
  const label = cutName(named.label, max);
  const name = cutName(named.name, max);
  return way === null ? m.action.titles[action.type](label, name) : m.action.titlesByWay[way](label, name);
}

/** Verb and object, for the button: the place stands in the title. */
export function verbOf(action: Action, named: Named, m: Messages): string {
  const way = wayOf(action);
  const label = cutName(named.label, buttonMax);
  const name = cutName(named.name, buttonMax);
  return way === null ? m.action.verbs[action.type](label, name) : m.action.verbsByWay[way](label, name);
}
