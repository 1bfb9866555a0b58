/**
 * The fonts of every page, served by ourselves. With `optional` a page that was painted before they came keeps the font of the
 * system: with `swap`, lines would get other widths under a reader's eyes, and rows move. The next page has them in the cache.
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
  // Monospaced ones come in `globals.css`; an adjusted Arial would not be one.
  adjustFontFallback: false,
});

/** Classes for the root of a document: they make the variables that `globals.css` reads. */
export const fontVariables = `${sans.variable} ${mono.variable}`;
