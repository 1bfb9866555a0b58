/** The person's choice, else the browser's first available language, else English. Pure. */
import type { Language } from './messages';

/** A cookie, because the server must know it before the first paint. */
export const languageCookie = 'signalbox_language';

/** BCP 47: Chinese here has simplified characters. */
export const languageTags: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-Hans' };

export const languageNames: Readonly<Record<Language, string>> = { en: 'English', zh: '中文' };

export function otherLanguages(language: Language): Language[] {
  return (Object.keys(languageTags) as Language[]).filter((other) => other !== language);
}

function isLanguage(text: string | undefined): text is Language {
  return text !== undefined && Object.hasOwn(languageTags, text);
}

/** `cookie` as stored, `accept` as the browser's `Accept-Language`; either may be missing or nonsense. */
export function chooseLanguage(cookie: string | undefined, accept: string | null): Language {
  if (isLanguage(cookie)) return cookie;
  const wishes = (accept ?? '')
    .split(',')
    .map((part, order) => {
      const [range = '', ...parameters] = part.trim().toLowerCase().split(';');
      const quality = parameters.map((p) => /^\s*q=([\d.]+)\s*$/.exec(p)?.[1]).find((q) => q !== undefined);
      return { language: range.split('-')[0], weight: Number(quality ?? 1), order };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.order - b.order);
  return wishes.map(({ language }) => language).find(isLanguage) ?? 'en';
}
