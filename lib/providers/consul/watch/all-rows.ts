/** The rows of all roots, as they are read. */

import type { KvRow } from '@/lib/providers/consul/client/wire';
import type { ListedRows, RowLists } from '@/lib/providers/consul/rows/changed-rows';
import type { Readings } from './readings';

const none: readonly KvRow[] = [];

/** The rows of each root, sorted. The roots are sorted too, and share no row. */
export const rowListsOf = ({ roots }: Pick<Readings, 'roots'>): RowLists =>
  roots.map(({ value }) => value ?? none);

/**
 * Adds the rows to an object about them. The one list of all rows, `rows`, is made at its first use, because it weighs
 * megabytes in a large world and is seldom used. A spread leaves `rows` out, which the compiler does not see.
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
