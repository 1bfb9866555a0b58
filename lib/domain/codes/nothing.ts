/** The facts of a code that has none. */
export type Nothing = Readonly<Record<string, never>>;
