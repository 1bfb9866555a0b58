/** The board's query as it stands in an address: one set of parameters for the server and the browser. */

import { type Layout, layouts } from '@/lib/domain/layout';
import { verdicts } from '@/lib/domain/model';
import {
  countParameter,
  flagParameter,
  nameParameter,
  oneOf,
  type Parameter,
  textParameter,
  textsParameter,
} from '@/lib/view/url-parameter';
import { type BoardQuery, shows, sorts } from './query';

export const parameters = {
  q: textParameter,
  show: oneOf(shows, 'all'),
  verdict: oneOf(verdicts, null),
  layout: oneOf(Object.keys(layouts) as Layout[], null),
  node: nameParameter,
  prefix: textParameter,
  sort: oneOf(sorts, null),
  group: flagParameter,
  closed: textsParameter,
} satisfies { readonly [K in keyof BoardQuery]: Parameter<BoardQuery[K]> };

/** Of a board that never has all of its rows: how many it has. The first are more than the largest window shows. */
export const roomParameters = { rows: countParameter(60, 1_000) };

/** The query part of an address. */
export type AddressQuery = Readonly<Record<string, string | string[] | undefined>>;

/** What the board shows for an address; what makes no sense in it counts as not said. */
export function queryOf(asked: AddressQuery): BoardQuery {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, { read }]) => [name, read([asked[name]].flat()[0] ?? null)]),
  ) as unknown as BoardQuery;
}
