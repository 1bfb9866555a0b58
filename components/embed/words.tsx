'use client';
/** The page decides the language; there is no switch and nothing is kept. */
import { createContext, use } from 'react';
import { type EmbedMessages, embedLanguages } from '@/lib/i18n/embed-languages';
import type { Language } from '@/lib/i18n/messages';

const LanguageContext = createContext<Language>('en');

export function EmbedLanguage({ language, children }: { language: Language; children: React.ReactNode }) {
  return <LanguageContext value={language}>{children}</LanguageContext>;
}

export function useEmbedLanguage(): Language {
  return use(LanguageContext);
}

export function useEmbedWords(): EmbedMessages {
  return embedLanguages[use(LanguageContext)];
}
