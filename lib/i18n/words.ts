/**
 * A page carries the words of its reader's language, and fetches another on request. The server has them all
 * (`messages.ts`).
 */
import type { Language, Messages } from './messages';

const fetches: Readonly<Record<Language, () => Promise<Messages>>> = {
  en: async () => (await import('@/lib/i18n/en/messages')).en,
  zh: async () => (await import('@/lib/i18n/zh/messages')).zh,
};

/** A promise that a render makes keeps that page in the server's memory. */
const fulfilled = <W>(words: W): PromiseLike<W> & { readonly status: 'fulfilled'; readonly value: W } => ({
  status: 'fulfilled',
  value: words,
  // biome-ignore lint/suspicious/noThenProperty: React waits for it as for a promise.
  then: (...how) => Promise.resolve(words).then(...how),
});

/** React asks for a new promise at once. */
const retryMs = 5_000;

const loading = new Map<Language, Promise<Messages>>();
const awaited = new Map<Language, Promise<Messages>>();
const loaded = new Map<Language, ReturnType<typeof fulfilled<Messages>>>();

export function keepWords(language: Language, words: Messages): void {
  loaded.set(language, fulfilled(words));
  loading.delete(language);
  awaited.delete(language);
}

/** The words if they are loaded, else `null`. */
export const loadedWords = (language: Language): Messages | null => loaded.get(language)?.value ?? null;

/** Rejects when they cannot be fetched; the next call tries again. */
export function fetchWords(language: Language): PromiseLike<Messages> {
  const known = loaded.get(language) ?? loading.get(language);
  if (known !== undefined) return known;
  const words = fetches[language]();
  loading.set(language, words);
  words.then(
    (come) => keepWords(language, come),
    () => loading.delete(language),
  );
  return words;
}

/** For a render that waits. Never rejects: it tries again every 5 s. */
export function awaitWords(language: Language): PromiseLike<Messages> {
  const known = loaded.get(language) ?? awaited.get(language);
  if (known !== undefined) return known;
  const tries = async (): Promise<Messages> => {
    try {
      return await fetchWords(language);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      return tries();
    }
  };
  const words = tries();
  awaited.set(language, words);
  return words;
}
