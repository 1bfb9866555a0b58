/**
 * The words of one language at a time: a page carries those that its reader reads, and fetches others when somebody
 * asks for them. The server, which answers everybody, has them all (`messages.ts`).
 */
import type { Language, Messages } from './messages';

const fetches: Readonly<Record<Language, () => Promise<Messages>>> = {
  en: async () => (await import('./en/messages')).en,
  zh: async () => (await import('./zh/messages')).zh,
};

const atHand = new Map<Language, Messages | Promise<Messages>>();

/** From now on these are the words of that language. */
export function keepWords(language: Language, words: Messages): void {
  atHand.set(language, words);
}

/** The words, or a promise of them, always the same one; it rejects when they cannot be fetched, and the next call tries again. */
export function wordsOf(language: Language): Messages | Promise<Messages> {
  const known = atHand.get(language);
  if (known !== undefined) return known;
  const coming = fetches[language]().then(
    (words) => {
      keepWords(language, words);
      return words;
    },
    (cause) => {
      atHand.delete(language);
      throw cause;
    },
  );
  atHand.set(language, coming);
  return coming;
}
