/**
 * Words for what came over the wire. A page may be older than its server, so a code may be one that this language does
 * not know yet: the server's own English stands in for it then.
 */
import type { Facts, Said, Sayings } from '@/lib/domain/said';

/** Something said as it travels: the API adds English beside code and facts. */
export type Spoken = { readonly code: string; readonly facts?: Facts; readonly text?: string };

/** The sentence in this language, or the server's English for a code that it does not know, or knows with other facts. */
export function worded<F extends Readonly<Record<string, Facts>>>(
  said: Said<F> | Spoken,
  sayings: Sayings<F>,
): string {
  const { code, facts, text } = said as Spoken;
  if (!Object.hasOwn(sayings, code) || facts === undefined) return text ?? code;
  // Indexed by a code that was looked up just now, which TypeScript cannot follow.
  const sentence = sayings[code as keyof F & string] as (facts: Facts) => string;
  try {
    return sentence(facts);
  } catch {
    // Facts of another shape than this page knows. A page that fails would tell less than its server's words.
    return text ?? code;
  }
}
