/**
 * A page carries the words of its reader's language that it needs at first sight, and fetches the rest, and any other
 * language, on request. The server has them all (`messages.ts`).
 */
import type { AllMessages, Language, Messages } from './messages';

/**
 * A resolved promise as React marks it, so that a render with these words in it does not wait. A promise made in a
 * render would keep that page in the server's memory. Every render must call `use`: a component that suspended in it,
 * and does not call it when React tries again, fails.
 */
const fulfilled = <W>(words: W): PromiseLike<W> & { readonly status: 'fulfilled'; readonly value: W } => ({
  status: 'fulfilled',
  value: words,
  // biome-ignore lint/suspicious/noThenProperty: React waits for it as for a promise.
  then: (...how) => Promise.resolve(words).then(...how),
});

/** React asks for a new promise at once. */
const retryMs = 5_000;

export interface Words<W> {
  keep(language: Language, words: W): void;
  /** `null`: not loaded. */
  loaded(language: Language): W | null;
  /** Rejects when they cannot be fetched; the next call tries again. */
  fetch(language: Language): Promise<W>;
  /** The words for `use` in a render. Never rejects: it tries again every 5 s. */
  await(language: Language): PromiseLike<W>;
}

function wordsOf<W>(fetches: Readonly<Record<Language, () => Promise<W>>>): Words<W> {
  const loading = new Map<Language, Promise<W>>();
  const awaited = new Map<Language, PromiseLike<W>>();
  const loaded = new Map<Language, W>();
  const keep = (language: Language, words: W) => {
    loaded.set(language, words);
    loading.delete(language);
    awaited.set(language, fulfilled(words));
  };
  const fetch = async (language: Language): Promise<W> => {
    const known = loaded.get(language) ?? loading.get(language);
    if (known !== undefined) return known;
    const words = fetches[language]();
    loading.set(language, words);
    words.then(
      (loaded) => keep(language, loaded),
      () => loading.delete(language),
    );
    return words;
  };
  return {
    keep,
    loaded: (language) => loaded.get(language) ?? null,
    fetch,
    await(language) {
      const known = awaited.get(language);
      if (known !== undefined) return known;
      const tries = async (): Promise<W> => {
        try {
          return await fetch(language);
        } catch {
          await new Promise((resolve) => setTimeout(resolve, retryMs));
          return tries();
        }
      };
      const words = tries();
      awaited.set(language, words);
      return words;
    },
  };
}

/** The words of a page at first sight. */
export const pageWords: Words<Messages> = wordsOf({
  en: async () => (await import('@/lib/i18n/en/page')).page,
  zh: async () => (await import('@/lib/i18n/zh/page')).page,
});

/** All of it. */
export const allWords: Words<AllMessages> = wordsOf({
  en: async () => ({ ...(await pageWords.fetch('en')), ...(await import('@/lib/i18n/en/rest/rest')).rest }),
  zh: async () => ({ ...(await pageWords.fetch('zh')), ...(await import('@/lib/i18n/zh/rest/rest')).rest }),
});
