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
