/** What a dialog and its button are called, by the way that is chosen. */
import type { Action } from '@/lib/domain/action';
import { shortId } from '@/lib/domain/model';
import type { Messages } from '@/lib/words/messages';
import type { Request } from './request';

type Named = Pick<Request, 'label' | 'name'>;

const wayOf = (action: Action) => ('how' in action && action.how !== 'destroy-session' ? action.how : null);

/** Verb, object and place. */
export function titleOf(action: Action, { label, name }: Named, m: Messages): string {
  const way = wayOf(action);
  return way === null ? m.action.titles[action.type](label, name) : m.action.titlesByWay[way](label, name);
}

/** Verb and object, for the button: the place stands in the title. */
export function verbOf(action: Action, { label, name }: Named, m: Messages): string {
  const way = wayOf(action);
  const short = shortId(name);
  return way === null ? m.action.verbs[action.type](label, short) : m.action.verbsByWay[way](label, short);
}
