/**
 * The names of rows in a patch. On the wire a row goes by its key, prefix or id, and by its source unless that is the
 * first. In memory it goes by one name (`rowName`).
 */
import { firstSource, partsOfName, rowName, type SourceId } from '@/lib/domain/source';

/** Keys, prefixes and ids that are gone. */
export interface Removed {
  readonly locks?: readonly string[];
  readonly semaphores?: readonly string[];
  readonly sessions?: readonly string[];
  readonly findings?: readonly string[];
  readonly renewals?: readonly string[];
}

export interface Removal {
  /** Removals from the first source. A finding's id names its source, so all findings are here. */
  readonly remove: Removed;
  /** Removals from each other source, by its id. Absent: none. */
  readonly removeIn?: Readonly<Record<SourceId, Removed>>;
}

/** The row of an edit. */
export interface EditedRow {
  /** A key, prefix or id. */
  readonly of: string;
  /** Absent: the first. */
  readonly source?: SourceId | undefined;
}

export function editedRow(row: string): EditedRow {
  const { source, name } = partsOfName(row);
  return source === firstSource ? { of: name } : { of: name, source };
}

export const editedName = ({ of, source = firstSource }: EditedRow): string => rowName(source, of);

/** Names of rows that are gone, for the wire. */
export function removal(gone: Removed): Removal {
  const first: Record<string, string[]> = {};
  const others = new Map<SourceId, Record<string, string[]>>();
  for (const [table, rows] of Object.entries(gone) as [string, readonly string[]][])
    for (const row of rows) {
      const { source, name } = partsOfName(row);
      const of = source === firstSource ? first : (others.get(source) ?? {});
      if (of !== first) others.set(source, of);
      const names = of[table];
      if (names === undefined) of[table] = [name];
      else names.push(name);
    }
  return others.size === 0 ? { remove: first } : { remove: first, removeIn: Object.fromEntries(others) };
}

/** The names of rows that a patch removes from one table. */
export function removedIn({ remove, removeIn }: Removal, table: keyof Removed): readonly string[] {
  const first = remove[table] ?? [];
  if (removeIn === undefined) return first;
  const others = Object.entries(removeIn).map(([source, { [table]: names = [] }]) =>
    names.map((name) => rowName(source, name)),
  );
  return first.concat(...others);
}
