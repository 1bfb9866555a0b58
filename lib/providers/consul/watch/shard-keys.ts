/**
 * Cuts the rows below one prefix into parts: `jobs/` into `jobs/a`, `jobs/b`, and so on. A blocking query carries
 * everything below its prefix whenever one row changes.
 *
 * - Every row lies in exactly one part. A key outside of all parts is found by its name (`outside`).
 * - The entries of a semaphore's folder lie in one part, or they are not read at one moment. A cut folder that gains
 *   such entries is joined again (`tears`).
 * - A part is what Consul reads under that name, byte for byte. Names that Consul or a proxy would clean (`a//b`,
 *   `a/.`), or that are no text, are not cut.
 */

import { covers, type Stretch } from '@/lib/providers/consul/client/sorted-names';
import { type KvRow, storedLength } from '@/lib/providers/consul/client/wire';
import { coordinationName, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';

/** `exact`: one entry, whose key is the prefix: `jobs/` beside `jobs/a`. */
export type Part = Stretch;

export interface Piece extends Part {
  readonly rows: readonly KvRow[];
}

/** Printable ASCII without the space, and letters and digits of any script. U+FFFD stands for other bytes. */
const plain = /^[\x21-\x7e\p{L}\p{N}]+$/u;

function nameable(prefix: string): boolean {
  if (!plain.test(prefix) || prefix.startsWith('/') || prefix.includes('//')) return false;
  return prefix.split('/').every((segment) => segment !== '.' && segment !== '..');
}

/** The folder, with its slash, that a part lies in: `jobs/` for `jobs/a`, the top for `jobs/`. */
const folderOf = (prefix: string) => prefix.slice(0, prefix.lastIndexOf('/', prefix.length - 2) + 1);

/** An entry of a semaphore in `folder`, or a possible one. */
function isCoordinating(row: KvRow, folder: string): boolean {
  if (folder.length < 2 || row.key.indexOf('/', folder.length) !== -1) return false;
  const name = row.key.slice(folder.length);
  return name === coordinationName || row.session === name || row.flags === semaphoreFlags;
}

/** True when these rows show a semaphore in the part's folder, which must not be cut. */
export function tears({ prefix, exact }: Part, rows: readonly KvRow[]): boolean {
  const folder = folderOf(prefix);
  return !exact && rows.some((row) => isCoordinating(row, folder));
}

/** The whole character after `length`, which may be two code units. */
const next = (key: string, length: number) => String.fromCodePoint(key.codePointAt(length) ?? 0);

/** One cut, with a piece for each next character. `null` where no cut is allowed. */
function cutOnce({ prefix: whole, rows }: Piece): Piece[] | null {
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return null;
  let length = whole.length;
  while (length < first.key.length && next(first.key, length) === next(last.key, length))
    length += next(first.key, length).length;
  const prefix = first.key.slice(0, length);
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  if (rows.some((row) => isCoordinating(row, folder))) return null;
  const pieces: { prefix: string; exact: boolean; rows: KvRow[] }[] = [];
  for (const row of rows) {
    const exact = row.key.length === length;
    const name = exact ? prefix : prefix + next(row.key, length);
    const piece = pieces.at(-1);
    if (piece?.prefix === name && piece.exact === exact) piece.rows.push(row);
    else if (!nameable(name)) return null;
    else pieces.push({ prefix: name, exact, rows: [row] });
  }
  return pieces.length > 1 ? pieces : null;
}

/**
 * Cuts sorted rows into at most `partsMax` pieces, each of `rowsMax` rows where possible, largest piece first; `null`
 * when they cannot be cut.
 */
export function cut(
  rows: readonly KvRow[],
  prefix: string,
  { partsMax, rowsMax }: { partsMax: number; rowsMax: number },
): readonly Piece[] | null {
  const whole: Piece = { prefix, exact: false, rows };
  let pieces = [whole];
  const uncut = new Set<Piece>();
  for (;;) {
    const largest = pieces.reduce<Piece | null>(
      (largestSoFar, piece) =>
        uncut.has(piece) || piece.exact || piece.rows.length <= (largestSoFar?.rows.length ?? rowsMax)
          ? largestSoFar
          : piece,
      null,
    );
    if (largest === null) break;
    const smaller = cutOnce(largest);
    if (smaller === null || pieces.length - 1 + smaller.length > partsMax) uncut.add(largest);
    else pieces = pieces.flatMap((piece) => (piece === largest ? smaller : [piece]));
  }
  return pieces.length > 1 ? pieces : null;
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && next(a, length) === next(b, length))
    length += next(a, length).length;
  return length;
}

/** The parts to add so that each name lies in one. `null` when a name fits no possible part. */
export function outside(names: readonly string[], parts: readonly Part[]): readonly Part[] | null {
  const added: Part[] = [];
  let last: Part | undefined = parts[0];
  for (const name of names) {
    if (last !== undefined && covers(last, name)) continue;
    last = parts.find((part) => covers(part, name)) ?? added.find((part) => covers(part, name));
    if (last !== undefined) continue;
    const shared = Math.max(0, ...[...parts, ...added].map(({ prefix }) => commonLength(prefix, name)));
    const exact = shared === name.length;
    const prefix = exact ? name : name.slice(0, shared) + next(name, shared);
    if (!nameable(prefix)) return null;
    last = { prefix, exact };
    added.push(last);
  }
  return added;
}

/** Bytes of a row beside its texts, and of its lock or waiter (`docs/decisions/0053`). */
const ofRow = 150;
const ofLocked = 1_000;
/** The weight of each byte of a name in a value. */
const ofNames = 12;

const weights = new WeakMap<readonly KvRow[], number>();

/** The weight of the rows in bytes. Cached, because a list never changes. */
export function weightOf(rows: readonly KvRow[]): number {
  const known = weights.get(rows);
  if (known !== undefined) return known;
  let weight = 0;
  for (const row of rows) {
    const stored = storedLength(row);
    const mayName = row.session === null && row.key.endsWith(coordinationName);
    weight +=
      ofRow + row.key.length + stored * (mayName ? ofNames : 1) + (row.session === null ? 0 : ofLocked);
  }
  weights.set(rows, weight);
  return weight;
}
