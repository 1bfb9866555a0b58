/**
 * How the rows below one prefix are read in parts. A blocking query carries all that is below its prefix whenever one row
 * of it changes, so that rows that are many are better read as several prefixes, each longer by a character or more:
 * `jobs/` as `jobs/a`, `jobs/b`, and so on.
 *
 * Three things hold for every cut:
 * - Every row lies in exactly one part. A key that appears outside of all of them is found by its name (`outside`).
 * - The entries that sit side by side in the folder of a semaphore lie in one part, for they are read at one moment only
 *   then. So no folder is cut that has such entries, and one that comes to have them is joined again (`tears`).
 * - A part is what Consul reads under that name, byte for byte. Names that it, or a proxy, would clean first (`a//b`,
 *   `a/.`), and those that hold bytes that are no text, are cut nowhere.
 */

import { type Row, storedLength } from '@/lib/providers/consul/client/wire';
import { coordinationName, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';

export interface Part {
  readonly prefix: string;
  /** One entry, whose key is the prefix itself: `jobs/` beside `jobs/a`. */
  readonly exact: boolean;
}

export interface Piece extends Part {
  readonly rows: readonly Row[];
}

/** Printable ASCII without the space, and letters and digits of any script: U+FFFD, for one, stands for other bytes. */
const plain = /^[\x21-\x7e\p{L}\p{N}]+$/u;

function nameable(prefix: string): boolean {
  if (!plain.test(prefix) || prefix.startsWith('/') || prefix.includes('//')) return false;
  return prefix.split('/').every((segment) => segment !== '.' && segment !== '..');
}

/** The folder, with its slash, that a part has only some of: of `jobs/a` it is `jobs/`, of `jobs/` it is the top. */
const folderOf = (prefix: string) => prefix.slice(0, prefix.lastIndexOf('/', prefix.length - 2) + 1);

/** True for an entry of a semaphore in `folder`, or for one that may become that. */
function isCoordinating(row: Row, folder: string): boolean {
  if (folder.length < 2 || row.key.indexOf('/', folder.length) !== -1) return false;
  const name = row.key.slice(folder.length);
  return name === coordinationName || row.session === name || row.flags === semaphoreFlags;
}

/** True when these rows of a part show that its folder is the folder of a semaphore, which must not be cut. */
export function tears({ prefix, exact }: Part, rows: readonly Row[]): boolean {
  const folder = folderOf(prefix);
  return !exact && rows.some((row) => isCoordinating(row, folder));
}

/** The first character after `length`, whole: some are two code units. */
const next = (key: string, length: number) => String.fromCodePoint(key.codePointAt(length) ?? 0);

/** One cut: a piece for each character that follows. `null` where there must be none. */
function cutOnce({ prefix: whole, rows }: Piece): Piece[] | null {
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return null;
  let length = whole.length;
  // What all of them begin with: the rows are sorted, so the first and the last tell.
  while (length < first.key.length && next(first.key, length) === next(last.key, length))
    length += next(first.key, length).length;
  const prefix = first.key.slice(0, length);
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  if (rows.some((row) => isCoordinating(row, folder))) return null;
  const pieces: { prefix: string; exact: boolean; rows: Row[] }[] = [];
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
 * Pieces of these sorted rows, at most `partsMax` and each of `rowsMax` rows if that can be; `null` when they cannot be
 * cut. The largest piece is cut first.
 */
export function cut(
  rows: readonly Row[],
  prefix: string,
  { partsMax, rowsMax }: { partsMax: number; rowsMax: number },
): readonly Piece[] | null {
  const whole: Piece = { prefix, exact: false, rows };
  let pieces = [whole];
  const uncut = new Set<Piece>();
  for (;;) {
    const largest = pieces.reduce<Piece | null>(
      (found, piece) =>
        uncut.has(piece) || piece.exact || piece.rows.length <= (found?.rows.length ?? rowsMax)
          ? found
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

const covers = ({ prefix, exact }: Part, key: string) => (exact ? key === prefix : key.startsWith(prefix));

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && next(a, length) === next(b, length))
    length += next(a, length).length;
  return length;
}

/**
 * The parts that have to be added so that each of these names lies in one: none when all do already. `null` when there is a
 * name that no part can be made for.
 */
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

/** Bytes of a row beside its texts, and of the lock or waiter that it is (`docs/decisions/0053`). */
const ofRow = 150;
const ofLocked = 1_000;
/** A name and its punctuation have some 52 characters in base64, and take some 600 bytes. */
const ofNames = 12;

const weights = new WeakMap<readonly Row[], number>();

/** In bytes. A list never changes, so it is weighed once. */
export function weightOf(rows: readonly Row[]): number {
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
