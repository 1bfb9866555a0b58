/**
 * A sentence before it has a language: what is said, as a code, and the values in it. Whoever speaks to a person (a
 * screen, the API's `text`, a command) turns it into words with `lib/i18n`; nothing below it holds a sentence.
 */

/** Values by name. Spans are milliseconds (`…Ms`), names are as they are: the words format them. */
export type Facts = Readonly<Record<string, string | number | null>>;

/** One thing said. `F` names the facts of each code, so that a sentence cannot ask for one that is not there. */
export type Said<F extends Readonly<Record<string, Facts>>> = {
  readonly [C in keyof F & string]: { readonly code: C; readonly facts: F[C] };
}[keyof F & string];

/** What a language must have for such a family: one sentence a code. */
export type Sayings<F extends Readonly<Record<string, Facts>>> = {
  readonly [C in keyof F & string]: (facts: F[C]) => string;
};
