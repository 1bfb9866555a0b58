/** What the board shows, as a value that lives in the URL, and the pure functions that carry it out. */
import type { Layout } from '@/lib/domain/layout';
import type { Verdict } from '@/lib/domain/model';
import { type BoardRow, rowNeedsHuman } from './rows';

export const shows = ['all', 'human', 'locks', 'semaphores', 'waiting'] as const;
export type Show = (typeof shows)[number];

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
  readonly sort: Sort;
  readonly group: boolean;
}

/**
 * A test for a search text: every word must occur, in any field, in any case. `…` stands for anything within one
 * field, so that a shortened id pasted from the screen (`2f64…fee0`) finds its session.
 */
export function matcher(q: string): (haystack: string) => boolean {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const tests = words.map((word) => {
    const pieces = word.split(/…|\.\.\./).filter(Boolean);
    const [only] = pieces;
    if (only === undefined) return () => true;
    if (pieces.length === 1) return (haystack: string) => haystack.includes(only);
    const pattern = new RegExp(pieces.map((p) => p.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^\\n]*'));
    return (haystack: string) => pattern.test(haystack);
  });
  return (haystack) => tests.every((test) => test(haystack));
}

const showTests: Readonly<Record<Show, (row: BoardRow) => boolean>> = {
  all: () => true,
  human: rowNeedsHuman,
  locks: (row) => row.of.kind === 'lock',
  semaphores: (row) => row.of.kind === 'semaphore',
  waiting: (row) => row.waiting !== null && row.waiting > 0,
};

/** The rows that the search and the selects let through, and how many of those each chip would show. */
export function filterRows(
  rows: readonly BoardRow[],
  query: BoardQuery,
): { readonly rows: BoardRow[]; readonly counts: Readonly<Record<Show, number>> } {
  const matches = matcher(query.q);
  const counts = { all: 0, human: 0, locks: 0, semaphores: 0, waiting: 0 };
  const shown: BoardRow[] = [];
  for (const row of rows) {
    if (query.verdict !== null && !row.verdicts.includes(query.verdict)) continue;
    if (query.layout !== null && row.layout !== query.layout) continue;
    if (query.node !== null && !row.nodes.includes(query.node)) continue;
    if (query.prefix !== '' && !row.name.startsWith(query.prefix)) continue;
    if (!matches(row.haystack)) continue;
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
  // A board that reshuffles with every handover cannot be read: among equals the name decides, never the age.
  needs: (a, b) => a.urgency - b.urgency,
  name: () => 0,
  waiting: (a, b) => last(b.waiting, -1) - last(a.waiting, -1),
  since: (a, b) => last(a.sinceMs, Number.MAX_SAFE_INTEGER) - last(b.sinceMs, Number.MAX_SAFE_INTEGER),
  recent: (a, b) => last(b.sinceMs, 0) - last(a.sinceMs, 0),
};

/** Sorted as asked; equals by name. When grouped, groups stay together and stand in the order of their best row. */
export function orderRows(rows: readonly BoardRow[], query: Pick<BoardQuery, 'sort' | 'group'>): BoardRow[] {
  const compare = compares[query.sort];
  const sorted = [...rows].sort((a, b) => compare(a, b) || byName(a, b));
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
