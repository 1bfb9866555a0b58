/** A page in Chromium as one of the screens that the invariants check, read several times a second. */
import type { Page } from '@playwright/test';
import { pulseKey } from '@/quality/chaos/pulse';
import type { Said, Screen, Viewer } from '@/quality/chaos/viewer';

const lookEveryMs = 100;

export type PageViewer = Viewer & Required<Pick<Viewer, 'reloaded'>>;

/**
 * Opens the page of the lock that beats, and waits until it is live. The snapshot of this screen holds only that lock,
 * with the value on the page, which gives its age.
 */
export async function watchPage(page: Page, baseUrl: string): Promise<PageViewer> {
  await page.goto(`${baseUrl}/lock?key=${encodeURIComponent(pulseKey)}`);
  await page.getByRole('banner').getByText(/^live/).waitFor({ timeout: 20_000 });
  /** Marks the document; false when it was marked already. */
  const isNewDocument = () =>
    page.evaluate(() => {
      const isNew = !('sameDocument' in window);
      Object.assign(window, { sameDocument: true });
      return isNew;
    });
  await isNewDocument();
  const said: Said[] = [];
  let screen: Screen = { live: false, says: 'nothing yet', snapshot: null };
  let over = false;
  const look = () =>
    page.evaluate(() => ({
      live: [...document.querySelectorAll('header span')].some(({ textContent }) =>
        /^live/.test(textContent),
      ),
      outage: document.querySelector('[data-outage]')?.getAttribute('data-outage') ?? null,
      value: document.querySelector('main pre')?.textContent?.trim() ?? '',
    }));
  const looking = (async () => {
    while (!over) {
      const seen = await look().catch(() => null);
      if (seen !== null) {
        const says = seen.live ? 'live' : (seen.outage ?? 'not live');
        const lock = { key: pulseKey, exists: true, holder: null, value: { content: seen.value } };
        const snapshot = { locks: [lock], semaphores: [] } as unknown as Screen['snapshot'];
        screen = { live: seen.live, says, snapshot };
        if (said.at(-1)?.says !== says) said.push({ atMs: performance.now(), says });
      }
      await page.waitForTimeout(lookEveryMs).catch(() => undefined);
    }
  })();
  return {
    screen: () => screen,
    part: true,
    said,
    wholes: 1,
    reloaded: isNewDocument,
    close: () => {
      over = true;
      void looking;
    },
  };
}
