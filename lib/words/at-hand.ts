/**
 * The words of one language at a time: a page carries those that its reader reads, and fetches others when somebody
 * asks for them. The server, which answers everybody, has them all (`messages.ts`).
 */
import type { Language, Messages } from './messages';

const fetches: Readonly<Record<Language, () => Promise<Messages>>> = {
  en: async () => (await import('./en/messages')).en,
  zh: async () => (await import('./zh/messages')).zh,
};

const coming = new Map<Language, Promise<Messages>>();
const come = new Map<Language, Messages>();

/** From now on these are the words of that language. */
export function keepWords(language: Language, words: Messages): void {
  come.set(language, words);
}

/** The words, if they have come. */
export function wordsAtHand(language: Language): Messages | null {
  return come.get(language) ?? null;
}

/** The words: always the same promise. It rejects when they cannot be fetched, and the next call tries again. */
export function fetchWords(language: Language): Promise<Messages> {
  const known = coming.get(language);
  if (known !== undefined) return known;
  const words = fetches[language]();
  coming.set(language, words);
  words.then(
    (all) => keepWords(language, all),
    () => coming.delete(language),
  );
  return words;
}
