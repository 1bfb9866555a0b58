import './globals.css';
import { GeistMono } from 'geist/font/mono';
import { GeistSans } from 'geist/font/sans';
import type { Metadata, Viewport } from 'next';
import { ThemeProvider } from 'next-themes';
import { en } from '@/lib/client/messages';

export const metadata: Metadata = {
  title: { default: en.shell.brand, template: `%s · ${en.shell.brand}` },
  icons: { icon: '/signalbox.svg' },
};

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: dark)', color: '#0a0e13' },
    { media: '(prefers-color-scheme: light)', color: '#f3f1ea' },
  ],
};

/** The document. The theme's class is set by a script before the first paint, hence `suppressHydrationWarning`. */
export default function RootLayout({ children }: { children: React.ReactNode }) {
  return (
    <html lang="en" className={`${GeistSans.variable} ${GeistMono.variable}`} suppressHydrationWarning>
      <body>
        <ThemeProvider attribute="class" defaultTheme="system" enableSystem disableTransitionOnChange>
          {children}
        </ThemeProvider>
      </body>
    </html>
  );
}
