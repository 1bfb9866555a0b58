'use client';
import { useRouter } from 'next/navigation';
import { createContext, use, useEffect, useMemo, useState } from 'react';
import { useReplay } from '@/components/dom/event-replay';
import { languageCookie, languageTags } from '@/lib/i18n/language';
import type { AllMessages, Language, Messages } from '@/lib/i18n/messages';
import { allWords, pageWords } from '@/lib/i18n/words';

interface Read {
  readonly language: Language;
  readonly words: Messages;
}

interface Locale extends Read {
  readonly put: (read: Read) => void;
}

const LocaleContext = createContext<Locale | null>(null);

/** A year, so that a chosen language lasts. */
const keptS = 365 * 24 * 60 * 60;

interface ProviderProps {
  readonly language: Language;
  readonly children: React.ReactNode;
}

/** The server chose the language of the first paint; hydration waits for its words. */
export function LocaleProvider({ language, children }: ProviderProps) {
  const words = use(pageWords.await(language));
  return (
    <Choice language={language} words={words}>
      {children}
    </Choice>
  );
}

function Choice({ language, words, children }: ProviderProps & Read) {
  const [chosen, put] = useState<Read | null>(null);
  const now = chosen?.language ?? language;
  const shownWords = chosen?.words ?? words;
  const locale = useMemo(() => ({ language: now, words: shownWords, put }), [now, shownWords]);
  return <LocaleContext value={locale}>{children}</LocaleContext>;
}

/** Outside a page, as in component tests, the language is English if its words are loaded. */
function useLocale(): Locale {
  const locale = use(LocaleContext);
  if (locale !== null) return locale;
  const words = pageWords.loaded('en');
  if (words === null) throw new Error('There are words only below <LocaleProvider>.');
  return { language: 'en', words, put: () => {} };
}

export function useLanguage(): Language {
  return useLocale().language;
}

/**
 * Loads the words, stores the choice in the cookie, and asks the server to render again. If the words do not load,
 * nothing changes.
 */
export function useChooseLanguage(): (language: Language) => Promise<void> {
  const router = useRouter();
  const { put } = useLocale();
  return async (language) => {
    // All words, because parts that use the rest must not wait: the page would vanish meanwhile.
    const words = await allWords.fetch(language).catch(() => null);
    if (words === null) return;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is missing without TLS, where consoles often run.
    document.cookie = `${languageCookie}=${language}; path=/; max-age=${keptS}; samesite=lax`;
    document.documentElement.lang = languageTags[language];
    put({ language, words });
    router.refresh();
  };
}

export function useMessages(): Messages {
  return useLocale().words;
}

/** All words, with those that a page fetches apart. A component that uses them waits at the nearest <Suspense>. */
export function useAllMessages(): AllMessages {
  return use(allWords.await(useLanguage()));
}

/** Sets the title of a page, also when its data arrives later. The page replays its early input from here. */
export function usePageTitle(title: string): void {
  const { shell } = useMessages();
  useReplay('page');
  useEffect(() => {
    document.title = `${title} · ${shell.brand}`;
  }, [title, shell.brand]);
}
