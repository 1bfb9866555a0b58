/** The board's query as it stands in an address: one set of parsers for the server and the browser. */
import { parseAsArrayOf, parseAsBoolean, parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { type Layout, layouts } from '@/lib/domain/layout';
import { verdicts } from '@/lib/domain/model';
import { type BoardQuery, shows, sorts } from './query';

export const parsers = {
  q: parseAsString.withDefault(''),
  show: parseAsStringLiteral(shows).withDefault('all'),
  verdict: parseAsStringLiteral(verdicts),
  layout: parseAsStringLiteral(Object.keys(layouts) as Layout[]),
  node: parseAsString,
  prefix: parseAsString.withDefault(''),
  sort: parseAsStringLiteral(sorts),
  group: parseAsBoolean.withDefault(false),
  closed: parseAsArrayOf(parseAsString).withDefault([]),
};

/** The query part of an address. */
export type Asked = Readonly<Record<string, string | string[] | undefined>>;

/** What the board shows for an address; what makes no sense in it counts as not said. */
export function queryOf(asked: Asked): BoardQuery {
  const { q, show, verdict, layout, node, prefix, sort, group, closed } = parsers;
  return {
    q: q.parseServerSide(asked.q),
    show: show.parseServerSide(asked.show),
    verdict: verdict.parseServerSide(asked.verdict),
    layout: layout.parseServerSide(asked.layout),
    node: node.parseServerSide(asked.node),
    prefix: prefix.parseServerSide(asked.prefix),
    sort: sort.parseServerSide(asked.sort),
    group: group.parseServerSide(asked.group),
    closed: closed.parseServerSide(asked.closed),
  };
}
