/** The language of a request, for server-rendered text. */
import 'server-only';
import type { Metadata } from 'next';
import { cookies, headers } from 'next/headers';
import { chooseLanguage, languageCookie } from '@/lib/i18n/language';
import { type AllMessages, type Language, languages } from '@/lib/i18n/messages';

export async function requestLanguage(): Promise<Language> {
  return chooseLanguage(
    (await cookies()).get(languageCookie)?.value,
    (await headers()).get('accept-language'),
  );
}

/** A layout's title template would not reach the page in the same segment, as for the board. */
export function titled(title: (m: AllMessages) => string): () => Promise<Metadata> {
  return async () => {
    const words = languages[await requestLanguage()];
    return { title: { absolute: `${title(words)} · ${words.shell.brand}` } };
  };
}
