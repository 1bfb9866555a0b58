/** The board's query in an address: one set of parameters for the server and the browser. */

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
  source: nameParameter,
  prefix: textParameter,
  sort: oneOf(sorts, null),
  group: flagParameter,
  closed: textsParameter,
} satisfies { readonly [K in keyof BoardQuery]: Parameter<BoardQuery[K]> };

/** The number of rows of a board that never gets all of them. The default is more than the largest window shows. */
export const roomParameters = { rows: countParameter(60, 1_000) };

export type AddressQuery = Readonly<Record<string, string | string[] | undefined>>;

/** The board's query for an address; invalid values count as absent. */
export function queryOf(address: AddressQuery): BoardQuery {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, { read }]) => [name, read([address[name]].flat()[0] ?? null)]),
  ) as unknown as BoardQuery;
}
