export type Query = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The first value of each name. Next looks names up on a plain object: `?toString=a` gives a function, which breaks the
 * page.
 */
export function textsOf(query: Query): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => {
      const text: unknown = Array.isArray(value) ? value[0] : value;
      return typeof text === 'string' ? [[name, text] as const] : [];
    }),
  );
}
