/** The board's query, as a value that lives in the URL, and the pure functions that apply it. */

import type { Layout } from '@/lib/domain/layout';
import type { Verdict } from '@/lib/domain/model';
import { type BoardRow, rowNeedsHuman } from '@/lib/view/board-rows';
import { naturalCompare } from '@/lib/view/natural-order';
import type { Hit } from '@/lib/view/search/match';

export const shows = ['all', 'human', 'locks', 'semaphores', 'waiting'] as const;
export type Show = (typeof shows)[number];

/** `match`, the order of a search, is not among them: it cannot be requested. */
export const sorts = ['needs', 'name', 'waiting', 'since', 'recent'] as const;
export type Sort = (typeof sorts)[number];

export interface BoardQuery {
  readonly q: string;
  readonly show: Show;
  /** `null`: any. */
  readonly verdict: Verdict | null;
  readonly layout: Layout | null;
  readonly node: string | null;
  /** The id of a source; `null`: all of them. */
  readonly source: string | null;
  /** Rows whose name starts with it; '' for all. */
  readonly prefix: string;
  /**
   * `null`: none requested. Then the best match comes first during a search, else the rows that need attention.
   */
  readonly sort: Sort | null;
  readonly group: boolean;
  /** Closed groups, by name. */
  readonly closed: readonly string[];
}

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

const selects = ['verdict', 'layout', 'node', 'source', 'prefix'] as const;
type Selects = Pick<BoardQuery, (typeof selects)[number]>;

export const sameSelects = (a: Selects, b: Selects) => selects.every((name) => a[name] === b[name]);

export function isSelected(row: BoardRow, { verdict, layout, node, source, prefix }: Selects): boolean {
  return (
    (verdict === null || row.verdicts.includes(verdict)) &&
    (layout === null || row.layout === layout) &&
    (node === null || row.nodes.includes(node)) &&
    (source === null || row.of.source === source) &&
    (prefix === '' || row.name.startsWith(prefix))
  );
}

export const isShown = (row: BoardRow, show: Show) => showTests[show](row);

/**
 * The rows that pass the search and the selects, with the number that each chip would show. A search sorts them,
 * closest first.
 */
export function filterRows(
  rows: readonly BoardRow[],
  query: Selects & Pick<BoardQuery, 'show'>,
  hits: readonly Hit<BoardRow>[] | null,
): { readonly rows: BoardRow[]; readonly counts: Readonly<Record<Show, number>> } {
  const counts = { all: 0, human: 0, locks: 0, semaphores: 0, waiting: 0 };
  const shown: BoardRow[] = [];
  for (const row of hits === null ? rows : hits.map(({ of }) => of)) {
    if (!isSelected(row, query)) continue;
    for (const show of shows) if (isShown(row, show)) counts[show] += 1;
    if (isShown(row, query.show)) shown.push(row);
  }
  return { rows: shown, counts };
}

type Compare = (a: BoardRow, b: BoardRow) => number;

const byName: Compare = (a, b) => naturalCompare(a.name, b.name) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
const last = (value: number | null, whenNull: number) => value ?? whenNull;

const compares: Readonly<Record<Sort, Compare>> = {
  // Rows that need attention are in order of their waiters. Among the others only the name counts, never the
  // queue or the age: a board that reshuffles with every handover cannot be read.
  needs: (a, b) => a.urgency - b.urgency || (a.urgency < 3 ? last(b.waiting, -1) - last(a.waiting, -1) : 0),
  name: () => 0,
  waiting: (a, b) => last(b.waiting, -1) - last(a.waiting, -1),
  since: (a, b) => last(a.sinceMs, Number.MAX_SAFE_INTEGER) - last(b.sinceMs, Number.MAX_SAFE_INTEGER),
  recent: (a, b) => last(b.sinceMs, 0) - last(a.sinceMs, 0),
};

/** The order of a list without a search: no two rows are equal in it. */
export function compareBy(sort: Sort): Compare {
  const compare = compares[sort];
  return (a, b) => compare(a, b) || byName(a, b);
}

/**
 * The hits, closest first, then by need for attention. Hits already come in order of closeness: looking it up
 * at each comparison would cost more than the search.
 */
function orderHits(rows: readonly BoardRow[], hits: readonly Hit<BoardRow>[]): BoardRow[] {
  const wanted = rows.length === hits.length ? null : new Set(rows);
  const sorted: BoardRow[] = [];
  for (let at = 0; at < hits.length; ) {
    const closeness = hits[at]?.closeness;
    const alike: BoardRow[] = [];
    for (; hits[at]?.closeness === closeness && at < hits.length; at += 1) {
      const row = hits[at]?.of;
      if (row !== undefined && wanted?.has(row) !== false) alike.push(row);
    }
    // The search itself has ranked similar rows.
    if (closeness !== 'like') alike.sort((a, b) => a.urgency - b.urgency || byName(a, b));
    for (const row of alike) sorted.push(row);
  }
  return sorted;
}

/**
 * Rows in the requested order; equals by name. A search sorts by closeness, then by need for attention. When grouped,
 * groups stay together in the order of their best row.
 */
export function orderRows(
  rows: readonly BoardRow[],
  query: Pick<BoardQuery, 'sort' | 'group' | 'q'>,
  hits: readonly Hit<BoardRow>[] | null,
): BoardRow[] {
  const order = orderOf(query);
  const sorted =
    order === 'match' && hits !== null
      ? orderHits(rows, hits)
      : [...rows].sort(compareBy(order === 'match' ? 'needs' : order));
  if (!query.group) return sorted;
  const groups = new Map<string, BoardRow[]>();
  for (const row of sorted) {
    const group = groups.get(row.group);
    if (group === undefined) groups.set(row.group, [row]);
    else group.push(row);
  }
  return [...groups.values()].flat();
}

export interface Options {
  readonly verdicts: Verdict[];
  readonly layouts: Layout[];
  readonly nodes: string[];
  readonly prefixes: string[];
}

/** The selects' options: only values that occur. */
export function optionsOf(rows: readonly BoardRow[]): Options {
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
