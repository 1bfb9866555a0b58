'use client';
import { usePathname, useRouter } from 'next/navigation';
import { createContext, use, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { useEarly } from '@/components/dom/early-again';
import { paths } from '@/lib/client/paths';
import { allWords, firstWords } from '@/lib/i18n/at-hand';
import { languageCookie, languageTags } from '@/lib/i18n/language';
import type { FirstMessages, Language, Messages } from '@/lib/i18n/messages';

interface Read {
  readonly language: Language;
  readonly words: FirstMessages;
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
 * Gives everything below it one language. The server chose the first one, so that the first paint is already in it; only
 * its words are loaded, and hydration waits for them: on the board for the first of them, and on other pages for all, which
 * they say. There the frame would answer sooner than the page otherwise, and a link that is pressed meanwhile make the page
 * vanish for a moment. A component that waits keeps no state of its own.
 */
export function LocaleProvider({ language, children }: ProviderProps) {
  const path = usePathname();
  // Of the page that was opened first: later ones wait by themselves, and the frame stays.
  const [all] = useState(path !== paths.board());
  const words: FirstMessages = use<FirstMessages>((all ? allWords : firstWords).wait(language));
  // The server has them all before it draws anything: a part that waited there would be missing without a script.
  if (typeof window === 'undefined') use(allWords.wait(language));
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
  const words = firstWords.atHand('en');
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
    const words = await Promise.resolve(allWords.fetch(language)).catch(() => null);
    if (words === null) return;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is missing without TLS, where consoles often run.
    document.cookie = `${languageCookie}=${language}; path=/; max-age=${keptS}; samesite=lax`;
    document.documentElement.lang = languageTags[language];
    put({ language, words });
    router.refresh();
  };
}

/** The sentences of the language in use that a page has from its first moment. */
export function useMessages(): FirstMessages {
  return useLocale().words;
}

/**
 * All sentences of the language in use: for pages, which wait for them as they are drawn, and for parts that come later,
 * which come with them. The frame and the board do without, or they would be drawn later.
 */
export function useAllMessages(): Messages {
  // Asked each time, also when they are at hand: React forgets its place in a component that waited and then does not ask.
  return use(allWords.wait(useLanguage()));
}

/** All sentences where they are needed, and then waited for; `null` where they are not, and have not come. */
export function useAllMessagesWhere(needed: boolean): Messages | null {
  const language = useLanguage();
  return needed ? use(allWords.wait(language)) : allWords.atHand(language);
}

/** All sentences of the language in use, `null` until they are there: for what the frame says on a closer look. */
export function useAllMessagesCome(): Messages | null {
  const language = useLanguage();
  return useSyncExternalStore(
    allWords.subscribe,
    () => allWords.atHand(language),
    () => null,
  );
}

/**
 * The same, and on the server, which has them: for what the document says in full already, and is to go on saying. What
 * is drawn with it suppresses the warning of hydration, which has them not yet.
 */
export function useAllMessagesDrawn(): Messages | null {
  const language = useLanguage();
  const come = useAllMessagesCome();
  return typeof window === 'undefined' ? allWords.atHand(language) : come;
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
