/** Set in the address by the framing page, unsigned, as they show nothing more. */
import { z } from 'zod';
import { chooseLanguage } from '@/lib/i18n/language';
import type { Language } from '@/lib/i18n/messages';

const schema = z.object({
  theme: z.enum(['auto', 'dark', 'light']).catch('auto'),
  density: z.enum(['roomy', 'compact']).catch('roomy'),
  title: z.string().min(1).max(120).nullable().catch(null),
  text: z.enum(['state', 'held']).catch('state'),
  lang: z.enum(['en', 'zh']).nullable().catch(null),
});

export interface Looks {
  readonly theme: 'auto' | 'dark' | 'light';
  readonly density: 'roomy' | 'compact';
  readonly title: string | null;
  /** The text of a badge. */
  readonly text: 'state' | 'held';
  readonly language: Language;
}

/** Invalid values count as missing. The language is the browser's, never a cookie's. */
export function looksOf(query: URLSearchParams, headers: Pick<Headers, 'get'>): Looks {
  const { lang, ...rest } = schema.parse({
    theme: query.get('theme') ?? undefined,
    density: query.get('density') ?? undefined,
    title: query.get('title'),
    text: query.get('text') ?? undefined,
    lang: query.get('lang'),
  });
  return { ...rest, language: lang ?? chooseLanguage(undefined, headers.get('accept-language')) };
}
