/** The words of a history for embeds. Apart from `embed-languages.ts`: most embeds have none. */
import { history as en } from '@/lib/i18n/en/rest/history';
import { history as zh } from '@/lib/i18n/zh/rest/history';
import type { AllMessages, Language } from './messages';

export const historyWords: Readonly<Record<Language, AllMessages['history']>> = { en, zh };
