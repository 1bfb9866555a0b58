/** Every sentence, by language. Another language fails to compile until it says everything that English says. */
import { type Messages as Page, page as pageEn } from '@/lib/i18n/en/page';
import { type RestOfMessages, rest as restEn } from '@/lib/i18n/en/rest/rest';
import { page as pageZh } from '@/lib/i18n/zh/page';
import { rest as restZh } from '@/lib/i18n/zh/rest/rest';

/** The words of a page at first sight. */
export type Messages = Page;
/** All words. A page fetches those of dialogs, evidence, the audit, shares and the graph apart (`words.ts`). */
export type AllMessages = Page & RestOfMessages;
/** English, in its own literal texts. */
export const en = { ...pageEn, ...restEn };

/** A new one is a row here and a value of `AllMessages`. */
export const languages: Readonly<Record<'en' | 'zh', AllMessages>> = { en, zh: { ...pageZh, ...restZh } };
export type Language = keyof typeof languages;
