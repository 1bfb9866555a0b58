'use client';
import { useTheme } from 'next-themes';
import { useHydrated } from '@/components/dom/hydrated';
import { useMessages } from '@/components/dom/locale';
import { Icon } from '@/components/ui/icon';

/** Only the browser knows which theme is on: the server renders both, and styles show one. */
export function ThemeToggle() {
  const { theme: texts } = useMessages().shell;
  const { resolvedTheme, setTheme } = useTheme();
  const ready = useHydrated();
  const dark = ready && resolvedTheme === 'dark';
  const label = dark ? texts.toLight : texts.toDark;
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={() => setTheme(dark ? 'light' : 'dark')}
      className="inline-flex size-8 items-center justify-center rounded-[5px] text-ink-soft hover:bg-hover hover:text-ink"
    >
      <Icon name="sun" size={16} className="hidden dark:block" />
      <Icon name="moon" size={16} className="dark:hidden" />
    </button>
  );
}
