'use client';
import { createContext, use, useEffect } from 'react';
import { type Language, languages, type Messages } from '@/lib/client/messages';

const LocaleContext = createContext<Messages>(languages.en);

/** Gives everything below it one language. */
export function LocaleProvider({ language, children }: { language: Language; children: React.ReactNode }) {
  return <LocaleContext value={languages[language]}>{children}</LocaleContext>;
}

/** The sentences of the language in use. */
export function useMessages(): Messages {
  return use(LocaleContext);
}

/** Names the page in the browser's tab, also when the data that names it arrives later. */
export function usePageTitle(title: string): void {
  const { shell } = useMessages();
  useEffect(() => {
    document.title = `${title} · ${shell.brand}`;
  }, [title, shell.brand]);
}
