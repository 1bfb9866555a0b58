/**
 * Finds names in a long list of keys without reading it all. Consul sends keys in byte order, so the keys below one
 * prefix stand together, and halving finds their end.
 */

import { isSpace, LargeBody } from './large-body';
import { readJson, readNames } from './wire';

/** The keys that begin with `prefix`, or that one key. */
export interface Stretch {
  readonly prefix: string;
  readonly exact: boolean;
}

export const covers = ({ prefix, exact }: Stretch, key: string): boolean =>
  exact ? key === prefix : key.startsWith(prefix);

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
/** Within this distance, names are passed one by one. */
const nearBytes = 256;

const opening = 0x5b;
const closing = 0x5d;

function isList(bytes: Buffer): boolean {
  let [from, to] = [0, bytes.length - 1];
  while (isSpace(bytes[from])) from += 1;
  while (isSpace(bytes[to])) to -= 1;
  return bytes[from] === opening && bytes[to] === closing;
}

/** True when only a comma and space stand between two quotes. */
function isBetweenNames(bytes: Buffer, from: number, to: number): boolean {
  let commas = 0;
  for (let at = from + 1; at < to; at += 1)
    if (bytes[at] === comma) commas += 1;
    else if (!isSpace(bytes[at])) return false;
  return commas === 1;
}

/** The opening quote of the first name that begins at `from` or later; -1: none; `null`: unclear. */
function openingFrom(bytes: Buffer, from: number): number | null {
  const first = bytes.indexOf(quote, from);
  const second = first === -1 ? -1 : bytes.indexOf(quote, first + 1);
  if (second === -1) return -1;
  const third = bytes.indexOf(quote, second + 1);
  if (third === -1 || !isBetweenNames(bytes, first, second)) return first;
  // One of two gaps between quotes is a name, which may look like the other kind.
  return isBetweenNames(bytes, second, third) ? null : second;
}

/**
 * The names of a JSON list outside of all stretches. `null` where the list needs a full read: it is no list, or a name
 * is escaped, or looks like the text between two names.
 */
export function namesOutside(bytes: Buffer, known: readonly Stretch[]): string[] | null {
  if (bytes.includes(backslash) || !isList(bytes)) return null;
  const prefixes = new Map(known.map((one) => [one, Buffer.from(one.prefix)]));
  const names: string[] = [];
  let at = bytes.indexOf(quote);
  while (at !== -1) {
    const end = bytes.indexOf(quote, at + 1);
    if (end === -1) return null;
    const name = bytes.toString('utf8', at + 1, end);
    const stretch = known.find((one) => covers(one, name));
    if (stretch === undefined) names.push(name);
    if (stretch === undefined || stretch.exact) {
      at = bytes.indexOf(quote, end + 1);
      continue;
    }
    const prefix = prefixes.get(stretch) as Buffer;
    const isBelow = (quoteAt: number) =>
      quoteAt + prefix.length < bytes.length &&
      bytes.compare(prefix, 0, prefix.length, quoteAt + 1, quoteAt + 1 + prefix.length) === 0;
    // The name at `last` begins with the prefix, and none from `beyond` on does.
    let last = at;
    let beyond = bytes.length;
    while (beyond - last > nearBytes) {
      const middle = openingFrom(bytes, (last + beyond) >> 1);
      if (middle === null) return null;
      if (middle === -1 || middle >= beyond) break;
      if (isBelow(middle)) last = middle;
      else beyond = middle;
    }
    at = last;
    while (at !== -1 && isBelow(at)) {
      const nameEnd = bytes.indexOf(quote, at + 1);
      if (nameEnd === -1) return null;
      at = bytes.indexOf(quote, nameEnd + 1);
    }
  }
  return names;
}

export interface Strays {
  /** The list has names. */
  readonly any: boolean;
  readonly names: readonly string[];
}

/** Reads an answer with a list of names, perhaps an unread large one. Throws for anything else. */
export function straysIn(body: unknown, known: readonly Stretch[]): Strays {
  const found = body instanceof LargeBody ? namesOutside(body.bytes, known) : null;
  if (found !== null) return { any: true, names: found };
  const names = readNames(body instanceof LargeBody ? readJson(body.bytes) : body);
  return { any: names.length > 0, names: names.filter((name) => !known.some((one) => covers(one, name))) };
}
