/** A typed or pasted text, with the names and ids read from it. */
export interface Pasted {
  /** The text without space around it. */
  readonly text: string;
  /** The words of the line as they are, and decoded where the line was URL-encoded. */
  readonly readings: readonly (readonly string[])[];
  /** Whole session ids in it. */
  readonly ids: readonly string[];
  /** Session ids that were shortened in their middle: how each begins and ends. */
  readonly shortened: readonly (readonly [head: string, tail: string])[];
  /** A word that stands alone, has a slash, or is labelled as a key. Without `/.lock` and slashes around. */
  readonly keys: readonly string[];
  /** Every other word that could be a name, as a last resort. */
  readonly mentions: ReadonlySet<string>;
  /** The keys that a longer text quotes, links to or labels, so that the text is about them. */
  readonly named: readonly string[];
}
