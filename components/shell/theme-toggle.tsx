'use client';
import { Moon, Sun } from 'lucide-react';
import { useTheme } from 'next-themes';
import { useHydrated } from '@/components/hydrated';
import { useMessages } from '@/components/locale';

/** Switches between night and day. Which one is on is only known in the browser: the server draws both, and styles show one. */
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
      <Sun size={16} aria-hidden="true" className="hidden dark:block" />
      <Moon size={16} aria-hidden="true" className="dark:hidden" />
    </button>
  );
}
