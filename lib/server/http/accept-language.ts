/** The language of the request in hand, for what the server draws before the browser takes over. */
import 'server-only';
import type { Metadata } from 'next';
import { cookies, headers } from 'next/headers';
import { chooseLanguage, languageCookie } from '@/lib/i18n/language';
import { type Language, languages, type Messages } from '@/lib/i18n/messages';

/** The language to answer this request in. */
export async function requestLanguage(): Promise<Language> {
  return chooseLanguage(
    (await cookies()).get(languageCookie)?.value,
    (await headers()).get('accept-language'),
  );
}

/**
 * A page's `generateMetadata`: its title in the language of the request, with the brand. A template in a layout would
 * not reach the page that lies beside it, as the board does.
 */
export function titled(title: (m: Messages) => string): () => Promise<Metadata> {
  return async () => {
    const words = languages[await requestLanguage()];
    return { title: { absolute: `${title(words)} · ${words.shell.brand}` } };
  };
}
