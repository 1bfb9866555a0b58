/**
 * Fonts from our own server. With `optional` a page that was painted before they came keeps the system's font; with
 * `swap`, rows would move under a reader's eyes.
 */
import localFont from 'next/font/local';

const sans = localFont({
  src: '../node_modules/geist/dist/fonts/geist-sans/Geist-Variable.woff2',
  variable: '--font-geist-sans',
  weight: '100 900',
  display: 'optional',
});

const mono = localFont({
  src: '../node_modules/geist/dist/fonts/geist-mono/GeistMono-Variable.woff2',
  variable: '--font-geist-mono',
  weight: '100 900',
  display: 'optional',
  // Monospaced fallbacks come in `globals.css`; an adjusted Arial is not one.
  adjustFontFallback: false,
});

/** Classes that set the variables for `globals.css`. */
export const fontVariables = `${sans.variable} ${mono.variable}`;
