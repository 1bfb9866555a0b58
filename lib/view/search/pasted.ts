/** A text that was typed or pasted, as a search compares it: everything in lower case. */
import { forgivingAtHand } from './forgiving';
import { bareName } from './search-index';

/** A text that was typed or pasted, with what could be read out of it. */
export interface Pasted {
  /** As it is, without space around it. */
  readonly text: string;
  /** Its words, once as they are and, where it was URL-encoded, once decoded. */
  readonly readings: readonly (readonly string[])[];
  /** Session ids that are in it as a whole. */
  readonly ids: readonly string[];
  /** Session ids that were shortened in their middle: how each begins and ends. */
  readonly shortened: readonly (readonly [head: string, tail: string])[];
  /** What must be a key or prefix: it stands alone, holds a slash, or is called a key. Without `/.lock` and slashes around. */
  readonly keys: readonly string[];
  /** Every other word that could be the name of something, if nothing better is found. */
  readonly mentions: ReadonlySet<string>;
  /** Of `keys`, those that a longer text quotes, links to, or calls what they are: it is about them, whatever its other words are. */
  readonly named: readonly string[];
}

/** Reads a text; to the letter only, until what reads a whole line has come (`line.ts`). Nothing in it makes this fail. */
export function readPasted(raw: string): Pasted {
  const forgiving = forgivingAtHand();
  if (forgiving !== null) return forgiving.readLine(raw);
  const text = raw.trim().toLowerCase();
  const key = bareName(text);
  return {
    text,
    readings: [text.split(/\s+/).filter(Boolean)],
    ids: [],
    shortened: [],
    keys: key === '' ? [] : [key],
    mentions: new Set(),
    named: [],
  };
}
