/** A source is a lock server that the console watches. It may watch several, so every subject names its source. */

/** The operator's word for a source: short, fit for an address, and without `!` and `:`, which ids of rows use. */
export type SourceId = string;

/** The source that the CONSUL_* variables name. Addresses, requests and ids of rows leave its id out. */
export const firstSource: SourceId = 'consul';

export const sourceIdPattern = /^[a-z][a-z0-9-]{0,31}$/;

export interface Source {
  readonly id: SourceId;
  /** The kind of server, e.g. `consul`. */
  readonly kind: string;
  /** The name for people. */
  readonly title: string;
}

/** Marks the row of another source. No stored name can hold half of a surrogate pair. */
const mark = '\udfff';

/**
 * A row's name, unique among the rows of its kind in all sources. It serves sorted lists, maps and graphs, and never
 * travels on the wire. The first source's rows keep their bare name, so that a console with one source pays nothing.
 */
export const rowName = (source: SourceId, name: string): string =>
  source === firstSource ? name : `${mark}${source}!${name}`;

/** The source and the bare name in a `rowName`. */
export function partsOfName(row: string): { readonly source: SourceId; readonly name: string } {
  if (!row.startsWith(mark)) return { source: firstSource, name: row };
  const end = row.indexOf('!');
  return { source: row.slice(mark.length, end), name: row.slice(end + 1) };
}
