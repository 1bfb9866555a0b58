/** The query of a page's address, as the framework gives it. */
export type Query = Readonly<Record<string, string | string[] | undefined>>;

/**
 * What each name says, the first time. The framework looks for what a name said before among what every object has: by
 * `?toString=a` it gives a function and a text, and a function that is passed on to the browser fails the page.
 */
export function textsOf(query: Query): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, said]) => {
      const text: unknown = Array.isArray(said) ? said[0] : said;
      return typeof text === 'string' ? [[name, text] as const] : [];
    }),
  );
}
