import '@/app/globals.css';
import type { Metadata } from 'next';
import { fontVariables } from '@/app/fonts';
import { languageTags } from '@/lib/i18n/language';
import { embedLooks } from './looks';

/** A search engine must not find a link that is a key. */
export const metadata: Metadata = {
  title: 'Signalbox',
  icons: { icon: '/signalbox.svg' },
  robots: { index: false, follow: false },
};

const themes = { dark: 'dark', light: '', auto: 'night-by-itself' } as const;

/** Nothing of the console, no storage, no cookies; its own background in both themes. */
export default async function EmbedLayout({ children }: { children: React.ReactNode }) {
  const { language, theme } = await embedLooks();
  return (
    <html lang={languageTags[language]} className={`${fontVariables} ${themes[theme]}`}>
      <body>{children}</body>
    </html>
  );
}
