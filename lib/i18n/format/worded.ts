/**
 * Words for codes over the wire. A page may be older than its server: the server's English replaces an unknown code.
 */
import type { Facts, Said, Sayings } from '@/lib/domain/message';

/** The API adds English beside code and facts. */
export type Spoken = { readonly code: string; readonly facts?: Facts; readonly text?: string };

/** Or the server's English for an unknown code or other facts. */
export function worded<F extends Readonly<Record<string, Facts>>>(
  message: Said<F> | Spoken,
  sayings: Sayings<F>,
): string {
  const { code, facts, text } = message as Spoken;
  if (!Object.hasOwn(sayings, code) || facts === undefined) return text ?? code;
  // TypeScript cannot follow a code that was just looked up.
  const sentence = sayings[code as keyof F & string] as (facts: Facts) => string;
  try {
    return sentence(facts);
  } catch {
    // A failing page would say less than its server's words.
    return text ?? code;
  }
}
