/**
 * Everything that a page shows from its first paint on: its text, header, banner and what is read aloud included, the
 * names of its parts, its title, its lamps, its outage and the buttons that can be pressed. A claim that stood there for
 * a moment is found as well as one that stays.
 */
import type { BrowserContext, Page } from '@playwright/test';

export interface Shown {
  readonly text: string;
  readonly lamps: readonly string[];
  /** Names of the buttons that can be pressed. */
  readonly buttons: readonly string[];
}

interface Keeps {
  readonly shown: Shown[];
  readonly look: () => void;
}

declare global {
  interface Window {
    everythingShown?: Keeps;
  }
}

/** Every page of the context keeps what it shows. */
export const keepShown = (context: BrowserContext): Promise<unknown> =>
  context.addInitScript(() => {
    const shown: Shown[] = [];
    let last = '';
    const look = () => {
      const { body } = document;
      if (body === null) return;
      const main = document.querySelector('main');
      const named = document.querySelectorAll('[aria-label], [title], [placeholder]');
      const names = [...named].flatMap((one) =>
        ['aria-label', 'title', 'placeholder'].map((name) => one.getAttribute(name) ?? ''),
      );
      const buttons = main?.querySelectorAll('button:enabled:not([aria-disabled="true"])') ?? [];
      const now: Shown = {
        text: [document.title, body.innerText, ...names].join('\n'),
        lamps: [...(main?.querySelectorAll('[data-lamp]') ?? [])].map(
          (lamp) => lamp.getAttribute('data-lamp') ?? '',
        ),
        buttons: [...buttons].map((one) => one.getAttribute('aria-label') ?? one.textContent ?? ''),
      };
      const same = JSON.stringify(now);
      if (same === last) return;
      last = same;
      shown.push(now);
    };
    new MutationObserver(look).observe(document, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
    window.everythingShown = { shown, look };
  });

/** How many states the page has shown until now. */
export const shownUntilNow = (page: Page): Promise<number> =>
  page.evaluate(() => {
    window.everythingShown?.look();
    return window.everythingShown?.shown.length ?? 0;
  });

/** Every state of the page so far, since it was opened. */
export const shownBy = async (page: Page): Promise<readonly Shown[]> => {
  await shownUntilNow(page);
  return page.evaluate(() => window.everythingShown?.shown ?? []);
};
