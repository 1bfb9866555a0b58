/** A page that is painted and does not answer yet, for as long as a test wants. */
import type { Page } from '@playwright/test';

/** Holds every script of a page back until it is released. */
export async function holdScripts(page: Page): Promise<() => void> {
  let release = () => {};
  const may = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/_next\/static\/.*\.js/, async (route) => {
    await may;
    await route.continue();
  });
  return release;
}
