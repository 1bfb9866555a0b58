/** Every sentence, by language. Another language fails to compile until it says everything that English says. */
import { en as english } from '@/lib/i18n/en/messages';
import type { Messages as Page } from '@/lib/i18n/en/page';
import type { RestOfMessages } from '@/lib/i18n/en/rest';
import { zh } from '@/lib/i18n/zh/messages';

/** What a page says at first sight. */
export type Messages = Page;
/** With what dialogs, evidence, the audit, shares and the graph say, which a page fetches apart (`words.ts`). */
export type AllMessages = Page & RestOfMessages;
/** A new one is a row here and a value of `AllMessages`. */
export const languages: Readonly<Record<'en' | 'zh', AllMessages>> = { en: english, zh };
export type Language = keyof typeof languages;

/** English, in its own literal texts. */
export const en: typeof english = english;
