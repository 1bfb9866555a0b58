/** What the board shows, as a value that lives in the URL, and the pure functions that carry it out. */

import { byCloseness, type Hit } from '@/components/search/match';
import type { Layout } from '@/lib/domain/layout';
import type { Verdict } from '@/lib/domain/model';
import { type BoardRow, rowNeedsHuman } from './rows';

export const shows = ['all', 'human', 'locks', 'semaphores', 'waiting'] as const;
export type Show = (typeof shows)[number];

/** `match` is the order of a search; nobody asks for it by name. */
export const sorts = ['needs', 'name', 'waiting', 'since', 'recent'] as const;
export type Sort = (typeof sorts)[number];

export interface BoardQuery {
  readonly q: string;
  readonly show: Show;
  /** `null`: any. */
  readonly verdict: Verdict | null;
  readonly layout: Layout | null;
  readonly node: string | null;
  /** Rows whose name starts with it; '' for all. */
  readonly prefix: string;
  /** `null`: nobody asked for one. Then the best match stands first while one searches, else what needs a human. */
  readonly sort: Sort | null;
  readonly group: boolean;
  /** Groups that are closed, by name. */
  readonly closed: readonly string[];
}

/** The order that a query leads to. */
export function orderOf({ sort, q }: Pick<BoardQuery, 'sort' | 'q'>): Sort | 'match' {
  return sort ?? (q.trim() === '' ? 'needs' : 'match');
}

const showTests: Readonly<Record<Show, (row: BoardRow) => boolean>> = {
  all: () => true,
  human: rowNeedsHuman,
  locks: (row) => row.of.kind === 'lock',
  semaphores: (row) => row.of.kind === 'semaphore',
  waiting: (row) => row.waiting !== null && row.waiting > 0,
};

/**
 * The rows that the search and the selects let through, and how many of those each chip would show. With a search
 * they come in its order, closest first.
 */
export function filterRows(
  rows: readonly BoardRow[],
  query: BoardQuery,
  hits: readonly Hit<BoardRow>[] | null,
): { readonly rows: BoardRow[]; readonly counts: Readonly<Record<Show, number>> } {
  const counts = { all: 0, human: 0, locks: 0, semaphores: 0, waiting: 0 };
  const shown: BoardRow[] = [];
  for (const row of hits === null ? rows : hits.map(({ of }) => of)) {
    if (query.verdict !== null && !row.verdicts.includes(query.verdict)) continue;
    if (query.layout !== null && row.layout !== query.layout) continue;
    if (query.node !== null && !row.nodes.includes(query.node)) continue;
    if (query.prefix !== '' && !row.name.startsWith(query.prefix)) continue;
    for (const show of shows) if (showTests[show](row)) counts[show] += 1;
    if (showTests[query.show](row)) shown.push(row);
  }
  return { rows: shown, counts };
}

type Compare = (a: BoardRow, b: BoardRow) => number;

const byName: Compare = (a, b) =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
const last = (value: number | null, whenNull: number) => value ?? whenNull;

const compares: Readonly<Record<Sort, Compare>> = {
  // Of what needs a human, where most wait. A board that reshuffles with every handover cannot be read: among what is
  // in order the name decides, never the queue or the age.
  needs: (a, b) => a.urgency - b.urgency || (a.urgency < 3 ? last(b.waiting, -1) - last(a.waiting, -1) : 0),
  name: () => 0,
  waiting: (a, b) => last(b.waiting, -1) - last(a.waiting, -1),
  since: (a, b) => last(a.sinceMs, Number.MAX_SAFE_INTEGER) - last(b.sinceMs, Number.MAX_SAFE_INTEGER),
  recent: (a, b) => last(b.sinceMs, 0) - last(a.sinceMs, 0),
};

/**
 * Sorted as asked; equals by name. A search sorts by how close a match is, then by what needs a human. When grouped,
 * groups stay together and stand in the order of their best row.
 */
export function orderRows(
  rows: readonly BoardRow[],
  query: Pick<BoardQuery, 'sort' | 'group' | 'q'>,
  hits: readonly Hit<BoardRow>[] | null,
): BoardRow[] {
  const order = orderOf(query);
  const closeness = new Map(hits?.map((hit) => [hit.of, hit.closeness]));
  const byMatch: Compare = (a, b) => byCloseness(closeness.get(a) ?? 'like', closeness.get(b) ?? 'like');
  // What is only like it was put in order by the search itself, which a sort that is stable keeps.
  const like: Compare = (a, b) => (closeness.get(a) === 'like' ? 0 : a.urgency - b.urgency || byName(a, b));
  const compare: Compare =
    order === 'match' && hits !== null
      ? (a, b) => byMatch(a, b) || like(a, b)
      : (a, b) => compares[order === 'match' ? 'needs' : order](a, b) || byName(a, b);
  const sorted = [...rows].sort(compare);
  if (!query.group) return sorted;
  const groups = new Map<string, BoardRow[]>();
  for (const row of sorted) {
    const group = groups.get(row.group);
    if (group === undefined) groups.set(row.group, [row]);
    else group.push(row);
  }
  return [...groups.values()].flat();
}

/** What the selects offer: only what occurs. */
export function optionsOf(rows: readonly BoardRow[]): {
  readonly verdicts: Verdict[];
  readonly layouts: Layout[];
  readonly nodes: string[];
  readonly prefixes: string[];
} {
  const verdicts = new Set<Verdict>();
  const layouts = new Set<Layout>();
  const nodes = new Set<string>();
  const prefixes = new Set<string>();
  for (const row of rows) {
    for (const verdict of row.verdicts) verdicts.add(verdict);
    for (const node of row.nodes) nodes.add(node);
    layouts.add(row.layout);
    const first = row.name.indexOf('/');
    if (first > 0) prefixes.add(row.name.slice(0, first + 1));
  }
  return {
    verdicts: [...verdicts].sort(),
    layouts: [...layouts].sort(),
    nodes: [...nodes].sort(),
    prefixes: [...prefixes].sort().slice(0, 200),
  };
}
