'use client';
import { useRouter } from 'next/navigation';
import { createContext, use, useEffect, useMemo, useState } from 'react';
import { languageCookie, languageTags } from '@/lib/words/language';
import { type Language, languages, type Messages } from '@/lib/words/messages';

interface Locale {
  readonly language: Language;
  readonly put: (language: Language) => void;
}

const LocaleContext = createContext<Locale>({ language: 'en', put: () => {} });

/** A year: whoever chose a language once is not asked again. */
const keptS = 365 * 24 * 60 * 60;

/**
 * Gives everything below it one language. The server chose the first one, so that the first paint is already in it.
 */
export function LocaleProvider({ language, children }: { language: Language; children: React.ReactNode }) {
  const [chosen, put] = useState<Language | null>(null);
  const now = chosen ?? language;
  const locale = useMemo(() => ({ language: now, put }), [now]);
  return <LocaleContext value={locale}>{children}</LocaleContext>;
}

/** The language in use. */
export function useLanguage(): Language {
  return use(LocaleContext).language;
}

/** Puts another language on at once, keeps it in the cookie, and asks the server for what the server draws. */
export function useChooseLanguage(): (language: Language) => void {
  const router = useRouter();
  const { put } = use(LocaleContext);
  return (next) => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is missing without TLS, where consoles often run.
    document.cookie = `${languageCookie}=${next}; path=/; max-age=${keptS}; samesite=lax`;
    document.documentElement.lang = languageTags[next];
    put(next);
    router.refresh();
  };
}

/** The sentences of the language in use. */
export function useMessages(): Messages {
  return languages[use(LocaleContext).language];
}

/** Names the page in the browser's tab, also when the data that names it arrives later. */
export function usePageTitle(title: string): void {
  const { shell } = useMessages();
  useEffect(() => {
    document.title = `${title} · ${shell.brand}`;
  }, [title, shell.brand]);
}
