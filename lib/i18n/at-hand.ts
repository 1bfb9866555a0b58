/**
 * The words of one language at a time, and those first that a page says before anybody has opened anything: a page
 * carries what its reader reads, and fetches the rest of that language in idle moments, other languages when somebody
 * asks for them. The server, which answers everybody, has them all (`messages.ts`).
 */
import type { FirstMessages, Language, Messages } from './messages';

const fetches: Readonly<
  Record<Language, { readonly first: () => Promise<FirstMessages>; readonly all: () => Promise<Messages> }>
> = {
  en: {
    first: async () => (await import('@/lib/i18n/en/first')).first,
    all: async () => (await import('@/lib/i18n/en/messages')).en,
  },
  zh: {
    first: async () => (await import('@/lib/i18n/zh/first')).first,
    all: async () => (await import('@/lib/i18n/zh/messages')).zh,
  },
};

/**
 * Words that have come, for a render that asks for them and then does not wait. No promise: one that was made in a render keeps
 * all of that page, in a server for as long as it runs.
 */
const kept = <W>(words: W): PromiseLike<W> & { readonly status: 'fulfilled'; readonly value: W } => ({
  status: 'fulfilled',
  value: words,
  // biome-ignore lint/suspicious/noThenProperty: it is waited for as a promise is.
  then: (...how) => Promise.resolve(words).then(...how),
});

/** What cannot be fetched is asked for so often, as long as a render waits for it: React asks for a new promise at once. */
const againMs = 5_000;

/** Words that are fetched once. */
class Shelf<W> {
  readonly #fetch: (language: Language) => Promise<W>;
  readonly #coming = new Map<Language, Promise<W>>();
  readonly #waited = new Map<Language, Promise<W>>();
  readonly #come = new Map<Language, ReturnType<typeof kept<W>>>();
  readonly #listeners = new Set<() => void>();

  constructor(fetch: (language: Language) => Promise<W>) {
    this.#fetch = fetch;
  }

  readonly keep = (language: Language, words: W): void => {
    this.#come.set(language, kept(words));
    this.#coming.delete(language);
    this.#waited.delete(language);
    for (const listener of this.#listeners) listener();
  };

  /** The words, if they have come. */
  readonly atHand = (language: Language): W | null => this.#come.get(language)?.value ?? null;

  /** The words, for a render that waits for them: it never rejects, and tries again after a while. */
  readonly wait = (language: Language): PromiseLike<W> => {
    const known = this.#come.get(language) ?? this.#waited.get(language);
    if (known !== undefined) return known;
    const tries = async (): Promise<W> => {
      try {
        return await this.fetch(language);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, againMs));
        return tries();
      }
    };
    const words = tries();
    this.#waited.set(language, words);
    return words;
  };

  /** The words. It rejects when they cannot be fetched, and the next call tries again. */
  readonly fetch = (language: Language): PromiseLike<W> => {
    const known = this.#come.get(language) ?? this.#coming.get(language);
    if (known !== undefined) return known;
    const words = this.#fetch(language);
    this.#coming.set(language, words);
    words.then(
      (come) => this.keep(language, come),
      () => this.#coming.delete(language),
    );
    return words;
  };

  /** Languages that were asked for. */
  get asked(): Language[] {
    return [...this.#come.keys(), ...this.#coming.keys()];
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}

export const firstWords = new Shelf((language) => fetches[language].first());
export const allWords = new Shelf((language) => fetches[language].all());

/** From now on these are the words of that language. */
export function keepWords(language: Language, words: Messages): void {
  firstWords.keep(language, words);
  allWords.keep(language, words);
}

/** All words of every language that is read here. Rejects when some of them do not come. */
export async function fetchAllThatIsRead(): Promise<void> {
  await Promise.all(firstWords.asked.map(allWords.fetch));
}
