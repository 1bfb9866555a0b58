/**
 * Ranks rows by their closeness to the text. Literal matches come before similar ones, and a whole name or id before a
 * part of one.
 */
import { readPasted } from './line';
import type { Pasted } from './pasted';
import { type Hay, squash } from './search-index';
import { closeTo } from './typo';

/** From the closest to the farthest. */
export const closenesses = [
  'name',
  /** A session with that id holds it or waits for it. */
  'id',
  'last-part',
  /** The row lies above or below the pasted name. */
  'path',
  /** Every word is in its name. */
  'part-of-name',
  'text',
  /** The same letters, with other signs between them. */
  'letters',
  /** The row's name, or that of a session in it, is one of the words of a pasted line. */
  'mentioned',
  /** Similar, with a typo or two. */
  'like',
] as const;
export type Closeness = (typeof closenesses)[number];

export interface Hit<T> {
  readonly of: T;
  readonly closeness: Closeness;
}

/** With this many literal matches, similar ones would be noise. */
const enough = 4;

type Test = (hay: string) => boolean;

/** `…` stands for anything within one field, so that a shortened name is found. */
function wordTest(word: string): Test {
  const pieces = word.split(/…|\.\.\./).filter(Boolean);
  const [only] = pieces;
  if (only === undefined) return () => true;
  if (pieces.length === 1) return (hay) => hay.includes(only);
  // With many pieces a regular expression would backtrack over every combination.
  return (hay) => pieces.every((piece) => hay.includes(piece)) && hay.split('\n').some(hasAll);
  function hasAll(line: string): boolean {
    let from = 0;
    for (const piece of pieces) {
      const at = line.indexOf(piece, from);
      if (at === -1) return false;
      from = at + piece.length;
    }
    return true;
  }
}

function standsIn(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
    const before = text[at - 1] ?? ' ';
    const after = text[at + part.length] ?? ' ';
    if (!/[\p{L}\p{N}/_.-]/u.test(before) && !/[\p{L}\p{N}_-]/u.test(after)) return true;
  }
  return false;
}

const above = (a: string, b: string) => b.startsWith(`${a}/`);

/** `null` when there is no literal match. */
function judge(pasted: Pasted): (hay: Hay) => Closeness | null {
  const readings = pasted.readings.map((words) => words.map(wordTest)).filter((tests) => tests.length > 0);
  const [only] = readings.length === 1 && readings[0]?.length === 1 ? readings[0] : [];
  // The usual single word takes a shortcut: each letter asks ten thousand rows.
  const inAll: Test = only ?? ((text) => readings.some((tests) => tests.every((test) => test(text))));
  const keys = new Set(pasted.keys);
  const paths = pasted.keys.filter((key) => key.includes('/'));
  const ids = new Set(pasted.ids);
  const squashedText = squash(pasted.text);
  const line = (pasted.readings[0]?.length ?? 0) > 1;
  return (hay) => {
    if (hay.bare !== '' && keys.has(hay.bare)) return 'name';
    if (line && /[/\s]/.test(hay.bare) && standsIn(pasted.text, hay.bare)) return 'name';
    if (ids.size > 0 && hay.ids.some((id) => ids.has(id))) return 'id';
    for (const [head, tail] of pasted.shortened)
      if (hay.ids.some((id) => id.startsWith(head) && id.endsWith(tail))) return 'id';
    if (hay.last !== '' && keys.has(hay.last)) return 'last-part';
    if (hay.bare !== '' && paths.some((path) => above(path, hay.bare) || above(hay.bare, path)))
      return 'path';
    if (inAll(hay.name)) return 'part-of-name';
    if (inAll(hay.lines)) return 'text';
    if (squashedText.length > 3 && hay.squashed.includes(squashedText)) return 'letters';
    return null;
  };
}

function isMentioned(pasted: Pasted, hay: Hay): boolean {
  // The other words of a line that names its key mean other things: "lock" is the last part of many a name.
  if (pasted.named.length > 0) return false;
  if (hay.last.length > 2 && pasted.mentions.has(hay.last)) return true;
  return hay.labels.some((label) => label.length > 2 && pasted.mentions.has(label));
}

const place = Object.fromEntries(closenesses.map((name, i) => [name, i])) as Record<Closeness, number>;

/** Negative when the first is closer. */
export function byCloseness(a: Closeness, b: Closeness): number {
  return place[a] - place[b];
}

export function isLiteral(closeness: Closeness): boolean {
  return place[closeness] <= place.letters;
}

/** Everything that matches, closest first; equals keep their order. `null` for an empty search. */
export function search<T>(
  text: string,
  all: readonly T[],
  hayOf: (of: T) => Hay,
  read = readPasted,
): Hit<T>[] | null {
  if (text.trim() === '') return null;
  const pasted = read(text);
  const close = judge(pasted);
  // Sorting ten thousand equals would cost as much as the search.
  const heaps = closenesses.map((): Hit<T>[] => []);
  for (const of of all) {
    const closeness = close(hayOf(of));
    if (closeness !== null) heaps[place[closeness]]?.push({ of, closeness });
  }
  const hits = heaps.flat();
  if (hits.length === 0 && (pasted.readings[0]?.length ?? 0) > 1)
    for (const of of all) if (isMentioned(pasted, hayOf(of))) hits.push({ of, closeness: 'mentioned' });
  // An id has no typos, and an exact name was meant: similar rows would be noise.
  const exact = hits[0] !== undefined && byCloseness(hits[0].closeness, 'path') <= 0;
  const id = pasted.ids.length > 0 || pasted.shortened.length > 0;
  if (hits.length < enough && !id && (!exact || hits[0]?.closeness === 'last-part')) {
    const found = new Set(hits.map((hit) => hit.of));
    for (const at of closeTo(pasted, all.map(hayOf))) {
      const of = all[at];
      if (of !== undefined && !found.has(of)) hits.push({ of, closeness: 'like' });
    }
  }
  return hits;
}

/** With more changes than this, a full search costs no more. */
const changesMax = 100;

interface Searched<T> {
  readonly all: readonly T[];
  readonly hits: readonly Hit<T>[];
}

/** Searches again after a small change. `null` where it affects other rows, so that a full search is needed. */
export function searchAgain<T>(
  text: string,
  { last, all }: { readonly last: Searched<T>; readonly all: readonly T[] },
  hayOf: (of: T) => Hay,
  read = readPasted,
): readonly Hit<T>[] | null {
  if (last.all.length !== all.length) return null;
  const changes = new Map<T, T>();
  for (let at = 0; at < all.length; at += 1) {
    const [was, is] = [last.all[at] as T, all[at] as T];
    if (was === is) continue;
    if (changes.size === changesMax) return null;
    changes.set(was, is);
  }
  if (changes.size === 0) return last.hits;
  const before = new Map<T, Closeness>();
  for (const { of, closeness } of last.hits) if (changes.has(of)) before.set(of, closeness);
  const pasted = read(text);
  const close = judge(pasted);
  const enoughIsThere = isLiteral(last.hits[enough - 1]?.closeness ?? 'like');
  for (const [was, is] of changes) {
    const hay = hayOf(is);
    const closeness = close(hay);
    if (closeness !== (before.get(was) ?? null)) return null;
    if (closeness === null && !enoughIsThere && isLike(pasted, hay)) return null;
  }
  if (before.size === 0) return last.hits;
  return last.hits.map((hit) =>
    before.has(hit.of) ? { of: changes.get(hit.of) as T, closeness: hit.closeness } : hit,
  );
}

function isLike(pasted: Pasted, hay: Hay): boolean {
  return isMentioned(pasted, hay) || closeTo(pasted, [hay]).length > 0;
}

/** The plain target: the only exact match of its closeness, or the only match at all. */
export function meant<T>(hits: readonly Hit<T>[]): T | null {
  const [first] = hits;
  if (first === undefined) return null;
  const same = hits.filter((hit) => hit.closeness === first.closeness);
  if (first.closeness === 'name' || first.closeness === 'id') return same.length === 1 ? first.of : null;
  const alike = isLiteral(first.closeness) ? hits.filter((hit) => isLiteral(hit.closeness)) : hits;
  return alike.length === 1 ? first.of : null;
}
