/** How an embed looks: said in the address by whoever frames it, and not signed, as it shows nothing more. */
import { z } from 'zod';
import { chooseLanguage } from '@/lib/i18n/language';
import type { Language } from '@/lib/i18n/messages';

const schema = z.object({
  theme: z.enum(['auto', 'dark', 'light']).catch('auto'),
  density: z.enum(['roomy', 'compact']).catch('roomy'),
  title: z.string().min(1).max(120).nullable().catch(null),
  lang: z.enum(['en', 'zh']).nullable().catch(null),
});

export interface Looks {
  readonly theme: 'auto' | 'dark' | 'light';
  readonly density: 'roomy' | 'compact';
  /** Instead of the name; `null`: the name. */
  readonly title: string | null;
  readonly language: Language;
}

/** What is not understood counts as not said. The language is that of the reader's browser, never of a cookie. */
export function looksOf(query: URLSearchParams, headers: Pick<Headers, 'get'>): Looks {
  const { lang, ...rest } = schema.parse({
    theme: query.get('theme') ?? undefined,
    density: query.get('density') ?? undefined,
    title: query.get('title'),
    lang: query.get('lang'),
  });
  return { ...rest, language: lang ?? chooseLanguage(undefined, headers.get('accept-language')) };
}
