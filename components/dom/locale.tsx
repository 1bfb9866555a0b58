'use client';
import { useRouter } from 'next/navigation';
import { createContext, use, useEffect, useMemo, useState } from 'react';
import { useEarly } from '@/components/dom/early-again';
import { languageCookie, languageTags } from '@/lib/i18n/language';
import type { Language, Messages } from '@/lib/i18n/messages';
import { awaitWords, fetchWords, loadedWords } from '@/lib/i18n/words';

interface Read {
  readonly language: Language;
  readonly words: Messages;
}

interface Locale extends Read {
  readonly put: (read: Read) => void;
}

const LocaleContext = createContext<Locale | null>(null);

/** A year: whoever chose a language once is not asked again. */
const keptS = 365 * 24 * 60 * 60;

interface ProviderProps {
  readonly language: Language;
  readonly children: React.ReactNode;
}

/**
 * Gives everything below it one language. The server chose the first one, so that the first paint is already in it; only its
 * words are loaded, and hydration waits for them.
 */
export function LocaleProvider({ language, children }: ProviderProps) {
  const words: Messages = use(awaitWords(language));
  return (
    <Choice language={language} words={words}>
      {children}
    </Choice>
  );
}

function Choice({ language, words, children }: ProviderProps & Read) {
  const [chosen, put] = useState<Read | null>(null);
  const now = chosen?.language ?? language;
  const said = chosen?.words ?? words;
  const locale = useMemo(() => ({ language: now, words: said, put }), [now, said]);
  return <LocaleContext value={locale}>{children}</LocaleContext>;
}

/** Outside of every page, as in the tests of parts of one, English is read where somebody has put it at hand. */
function useLocale(): Locale {
  const locale = use(LocaleContext);
  if (locale !== null) return locale;
  const words = loadedWords('en');
  if (words === null) throw new Error('There are words only below <LocaleProvider>.');
  return { language: 'en', words, put: () => {} };
}

/** The language in use. */
export function useLanguage(): Language {
  return useLocale().language;
}

/**
 * Puts another language on as soon as all its words have come, keeps it in the cookie, and asks the server for what the
 * server draws. Words that do not come leave everything as it is.
 */
export function useChooseLanguage(): (language: Language) => Promise<void> {
  const router = useRouter();
  const { put } = useLocale();
  return async (language) => {
    const words = await Promise.resolve(fetchWords(language)).catch(() => null);
    if (words === null) return;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is missing without TLS, where consoles often run.
    document.cookie = `${languageCookie}=${language}; path=/; max-age=${keptS}; samesite=lax`;
    document.documentElement.lang = languageTags[language];
    put({ language, words });
    router.refresh();
  };
}

/** The sentences of the language in use. */
export function useMessages(): Messages {
  return useLocale().words;
}

/**
 * Names the page in the browser's tab, also when the data that names it arrives later. A page answers from when it is named.
 */
export function usePageTitle(title: string): void {
  const { shell } = useMessages();
  useEarly('page');
  useEffect(() => {
    document.title = `${title} · ${shell.brand}`;
  }, [title, shell.brand]);
}
