/**
 * A sentence before it has a language: a code and its values. Screens, the API's `text` and the commands turn
 * it into words with `lib/i18n`; no code below them holds a sentence.
 */

/** Values by name, unformatted: spans are milliseconds (`…Ms`), and the words format them. */
export type Facts = Readonly<Record<string, string | number | null>>;

/** One statement. `F` names the facts of each code, so that a sentence cannot ask for a missing one. */
export type Said<F extends Readonly<Record<string, Facts>>> = {
  readonly [C in keyof F & string]: { readonly code: C; readonly facts: F[C] };
}[keyof F & string];

/** A language's part of such a family: one sentence a code. */
export type Sayings<F extends Readonly<Record<string, Facts>>> = {
  readonly [C in keyof F & string]: (facts: F[C]) => string;
};
