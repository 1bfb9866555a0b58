/**
 * Every sentence that a person reads, by language. A language is one object of the type `Messages`: another one
 * fails to compile until it says everything that English says.
 */
import type { first } from '@/lib/i18n/en/first';
import { en as english } from '@/lib/i18n/en/messages';
import { zh } from '@/lib/i18n/zh/messages';

/** The shape of a language. Literal texts are widened to `string`, so that a translation may differ. */
export type Messages = Widen<typeof english>;

/** The part of it that is there from the first moment of every page. */
export type FirstMessages = Widen<typeof first>;

type Widen<T> = T extends string
  ? string
  : T extends (...args: infer A) => infer R
    ? (...args: A) => Widen<R>
    : { readonly [K in keyof T]: Widen<T[K]> };

/** Languages that are there. A new one is a row here and a value of `Messages`. */
export const languages: Readonly<Record<'en' | 'zh', Messages>> = { en: english, zh };
export type Language = keyof typeof languages;

/** English, in its own literal texts. */
export const en: typeof english = english;
