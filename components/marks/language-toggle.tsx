'use client';
import { useChooseLanguage, useLanguage } from '@/components/dom/locale';
import { languageNames, languageTags, otherLanguages } from '@/lib/i18n/language';

/** Offers the language that one does not read now, under the name that its own readers know it by. */
export function LanguageToggle() {
  const choose = useChooseLanguage();
  return otherLanguages(useLanguage()).map((other) => (
    <button
      key={other}
      type="button"
      lang={languageTags[other]}
      onClick={() => void choose(other)}
      className="inline-flex h-8 items-center justify-center whitespace-nowrap rounded-[5px] px-1.5 text-[13px] text-ink-soft hover:bg-hover hover:text-ink"
    >
      {languageNames[other]}
    </button>
  ));
}
