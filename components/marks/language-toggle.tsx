'use client';
import { useChooseLanguage, useLanguage } from '@/components/dom/locale';
import { Icon } from '@/components/ui/icon';
import { languageNames, languageTags, otherLanguages } from '@/lib/i18n/language';

/**
 * An icon, because a language's name in its own script is empty boxes without a font for it; screen readers get the
 * name.
 */
export function LanguageToggle() {
  const choose = useChooseLanguage();
  return otherLanguages(useLanguage()).map((other) => (
    <button
      key={other}
      type="button"
      lang={languageTags[other]}
      aria-label={languageNames[other]}
      title={languageNames[other]}
      onClick={() => void choose(other)}
      className="inline-flex size-8 items-center justify-center rounded-[5px] text-ink-soft hover:bg-hover hover:text-ink"
    >
      <Icon name="languages" size={16} />
    </button>
  ));
}
