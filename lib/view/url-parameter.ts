/** One fact of a page in an address: read from it, and written into it. */

/** `null`: the parameter is absent. Invalid values count as absent. */
export interface Parameter<T> {
  readonly read: (text: string | null) => T;
  /** `null`: it goes without saying. */
  readonly write: (value: T) => string | null;
}

/** A text of which the empty one goes without saying. */
export const textParameter: Parameter<string> = {
  read: (text) => text ?? '',
  write: (value) => (value === '' ? null : value),
};

/** A text, or `null` where none is said. */
export const nameParameter: Parameter<string | null> = {
  read: (text) => text,
  write: (value) => value,
};

/** One of these words, else `fallback`. */
export function oneOf<T extends string, U extends T | null>(
  words: readonly T[],
  fallback: U,
): Parameter<T | U> {
  return {
    read: (text) => words.find((word) => word === text) ?? fallback,
    write: (value) => (value === fallback ? null : value),
  };
}

/** A whole number from `fallback` to `max`. */
export function countParameter(fallback: number, max: number): Parameter<number> {
  return {
    read: (text) => {
      const count = text !== null && /^\d{1,9}$/.test(text) ? Number(text) : fallback;
      return Math.min(max, Math.max(fallback, count));
    },
    write: (value) => (value === fallback ? null : String(value)),
  };
}

export const flagParameter: Parameter<boolean> = {
  read: (text) => text?.toLowerCase() === 'true',
  write: (value) => (value ? 'true' : null),
};

/** Texts with commas between; a comma within one is `%2C`. */
export const textsParameter: Parameter<readonly string[]> = {
  read: (text) =>
    text === null || text === '' ? [] : text.split(',').map((one) => one.replaceAll('%2C', ',')),
  write: (value) => (value.length === 0 ? null : value.map((one) => one.replaceAll(',', '%2C')).join(',')),
};
