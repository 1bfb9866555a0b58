/** A lock server that the console watches. Several may be watched at a time, so every subject names its own. */

/** The operator's word for a source: short, fit for an address, and without `!` and `:`, which ids of rows use. */
export type SourceId = string;

/** The source that the CONSUL_* variables name. Addresses, requests and ids of rows leave its id out. */
export const firstSource: SourceId = 'consul';

export const sourceIdPattern = /^[a-z][a-z0-9-]{0,31}$/;

export interface Source {
  readonly id: SourceId;
  /** The kind of server, e.g. `consul`. */
  readonly kind: string;
  /** For people. */
  readonly title: string;
}

/** No stored name can hold half of a surrogate pair, so none looks like a row of another source. */
const mark = '\udfff';

/**
 * A row's name among those of its kind in all sources: in sorted lists, maps and graphs, never on the wire. The
 * first source's rows keep their bare name, so that a console with one source pays nothing.
 */
export const rowName = (source: SourceId, name: string): string =>
  source === firstSource ? name : `${mark}${source}!${name}`;

/** What a row's name was made from. */
export function partsOfName(row: string): { readonly source: SourceId; readonly name: string } {
  if (!row.startsWith(mark)) return { source: firstSource, name: row };
  const end = row.indexOf('!');
  return { source: row.slice(mark.length, end), name: row.slice(end + 1) };
}
