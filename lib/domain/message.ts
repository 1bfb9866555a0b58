/** A sentence before it has a language: a code and its values. Only `lib/i18n` has sentences. */

/** Unformatted: spans are milliseconds (`…Ms`), and the words format them. */
export type Facts = Readonly<Record<string, string | number | null>>;

/** `F` names the facts of each code, so that a sentence cannot ask for a missing one. */
export type Said<F extends Readonly<Record<string, Facts>>> = {
  readonly [C in keyof F & string]: { readonly code: C; readonly facts: F[C] };
}[keyof F & string];

/** One sentence a code. */
export type Sayings<F extends Readonly<Record<string, Facts>>> = {
  readonly [C in keyof F & string]: (facts: F[C]) => string;
};
