/** The query of a page's address, as Next gives it. */
export type Query = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The first value of each name. Next looks names up on a plain object: `?toString=a` gives a function and a text, and a
 * function passed to the browser breaks the page.
 */
export function textsOf(query: Query): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, said]) => {
      const text: unknown = Array.isArray(said) ? said[0] : said;
      return typeof text === 'string' ? [[name, text] as const] : [];
    }),
  );
}
