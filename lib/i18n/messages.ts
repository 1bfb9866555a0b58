/** Every sentence, by language. Another language fails to compile until it says everything that English says. */
import { type Messages as All, en as english } from '@/lib/i18n/en/messages';
import { zh } from '@/lib/i18n/zh/messages';

/** A language: everything that English says. */
export type Messages = All;
/** A new one is a row here and a value of `Messages`. */
export const languages: Readonly<Record<'en' | 'zh', Messages>> = { en: english, zh };
export type Language = keyof typeof languages;

/** English, in its own literal texts. */
export const en: typeof english = english;
