/** The rows of all roots, as they are read. */

import type { KvRow } from '@/lib/providers/consul/client/wire';
import type { ListedRows, RowLists } from '@/lib/providers/consul/rows/changed-rows';
import type { Readings } from './readings';

const none: readonly KvRow[] = [];

/** Each root's rows are sorted, and sorted roots share none. */
export const rowListsOf = ({ roots }: Pick<Readings, 'roots'>): RowLists =>
  roots.map(({ value }) => value ?? none);

/**
 * Adds the rows to a view of them. One list of all is made when it is asked for: of a large world it weighs
 * megabytes, and hardly anybody asks. A spread leaves it out, which the compiler does not see.
 */
export function withLists<T extends object>(view: T, lists: RowLists): T & Required<ListedRows> {
  let rows: readonly KvRow[] | null = null;
  return Object.defineProperty({ ...view, lists } as T & Required<ListedRows>, 'rows', {
    get: () => {
      // `flatMap` is far slower here.
      rows ??= lists.length === 1 ? (lists[0] ?? none) : ([] as KvRow[]).concat(...lists);
      return rows;
    },
  });
}
