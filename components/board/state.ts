'use client';
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { type Layout, layouts } from '@/lib/domain/layout';
import type { Verdict } from '@/lib/domain/model';
import { type BoardQuery, shows, sorts } from './query';

const verdicts = [
  'alive',
  'overdue',
  'suspect',
  'node-bound',
  'immortal',
  'ghost',
  'unknown',
] as const satisfies readonly Verdict[];

const parsers = {
  q: parseAsString.withDefault(''),
  show: parseAsStringLiteral(shows).withDefault('all'),
  verdict: parseAsStringLiteral(verdicts),
  layout: parseAsStringLiteral(Object.keys(layouts) as Layout[]),
  node: parseAsString,
  prefix: parseAsString.withDefault(''),
  sort: parseAsStringLiteral(sorts).withDefault('needs'),
  group: parseAsBoolean.withDefault(false),
};

/** The board's query, kept in the address so that a link shows what its sender saw; and how to change it. */
export function useBoardQuery(): [
  BoardQuery,
  (change: { [K in keyof BoardQuery]?: BoardQuery[K] | null }) => void,
] {
  const [query, set] = useQueryStates(parsers, { history: 'replace', clearOnDefault: true });
  return [query, (change) => void set(change)];
}
