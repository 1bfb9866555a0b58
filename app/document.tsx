import './globals.css';
import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import { ThemeProvider } from 'next-themes';
import { LocaleProvider } from '@/components/dom/locale';
import { languageTags } from '@/lib/i18n/language';
import { languages } from '@/lib/i18n/messages';
import { requestLanguage } from '@/lib/server/http/accept-language';
import { fontVariables } from './fonts';

/** Title and icon of every page of the console. */
export async function documentMetadata(): Promise<Metadata> {
  const { brand } = languages[await requestLanguage()].shell;
  return { title: { default: brand, template: `%s · ${brand}` }, icons: { icon: '/signalbox.svg' } };
}

export const documentViewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: dark)', color: '#0a0e13' },
    { media: '(prefers-color-scheme: light)', color: '#f3f1ea' },
  ],
};

/** Dialogs add a style element, and their library looks for the nonce under this name. */
const passNonceOn = 'window.__webpack_nonce__=document.currentScript.nonce';

/**
 * The document of everything but the embeds, so that no code of the console reaches a reader. A script sets the theme's
 * class before the first paint, hence `suppressHydrationWarning`.
 */
export async function Document({ children }: { children: React.ReactNode }) {
  const language = await requestLanguage();
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  return (
    <html lang={languageTags[language]} className={fontVariables} suppressHydrationWarning>
      <body>
        <script nonce={nonce} suppressHydrationWarning>
          {passNonceOn}
        </script>
        <ThemeProvider
          attribute="class"
          defaultTheme="system"
          enableSystem
          disableTransitionOnChange
          nonce={nonce}
        >
          <LocaleProvider language={language}>{children}</LocaleProvider>
        </ThemeProvider>
      </body>
    </html>
  );
}
