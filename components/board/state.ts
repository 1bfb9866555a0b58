'use client';
import { parseAsArrayOf, parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { type Layout, layouts } from '@/lib/domain/layout';
import { verdicts } from '@/lib/domain/model';
import { type BoardQuery, shows, sorts } from './query';

const parsers = {
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

/** The query part of the address that the server rendered for. */
export type Asked = Readonly<Record<string, string | string[] | undefined>>;

/** The board's query, kept in the address so that a link shows what its sender saw; and how to change it. */
export function useBoardQuery(
  asked: Asked,
): [BoardQuery, (change: { [K in keyof BoardQuery]?: BoardQuery[K] | null }) => void] {
  const [query, set] = useQueryStates(parsers, { history: 'replace', clearOnDefault: true });
  const hydrated = useSyncExternalStore(never, inBrowser, onServer);
  const first = useMemo(() => queryOf(asked), [asked]);
  const change = useCallback(
    (next: { [K in keyof BoardQuery]?: BoardQuery[K] | null }) => void set(next as Parameters<typeof set>[0]),
    [set],
  );
  // What was typed while the page was still hydrating is already in `query`, but not in the HTML to be hydrated.
  return [hydrated ? query : first, change];
}

const never = () => () => {};
const inBrowser = () => true;
const onServer = () => false;

function queryOf(asked: Asked): BoardQuery {
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
