/**
 * The stage of every end-to-end test: a real Consul agent, the production build of the console in front of it, and a
 * page in real Chromium. A `console.error` or an uncaught error on the page fails its test.
 */
import { expect, type Locator } from '@playwright/test';
import { test as base } from '@/e2e/support/store';
import { startConsul, stopAll, type TestConsul } from '@/test/support/consul';
import { type Server, startServer } from '@/test/support/server';

export { expect };

/** A server of the build, on a folder of data of its own. */
export type Signalbox = Pick<Server, 'baseUrl' | 'log' | 'stop'>;

/** Starts one in front of a Consul; resolves when the page answers. */
export const startSignalbox: (options: Parameters<typeof startServer>[0]) => Promise<Signalbox> = startServer;

/**
 * Clicks a button once it can be clicked. A click on one that is still disabled tries again and again, and scrolls the
 * page at each try: a test of where a page stands would then see its own harness.
 */
export async function press(button: Locator): Promise<void> {
  await expect(button).toBeEnabled();
  await button.click();
}

export interface ConsoleErrors {
  /** Errors that match are what this test is about, such as those of a server that it stops. */
  allow(pattern: RegExp): void;
}

export const test = base.extend<
  { consoleErrors: ConsoleErrors; baseUrl: string; consul: TestConsul },
  { workerConsul: TestConsul; workerSignalbox: Signalbox }
>({
  workerConsul: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are used from this pattern.
    async ({}, use) => {
      await use(await startConsul());
      await stopAll();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  workerSignalbox: [
    async ({ workerConsul, newStore }, use) => {
      const signalbox = await startSignalbox({ consulAddress: workerConsul.address, env: await newStore() });
      await use(signalbox);
      await signalbox.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  consul: async ({ workerConsul }, use) => use(workerConsul),
  baseUrl: async ({ workerSignalbox }, use) => use(workerSignalbox.baseUrl),
  // So that `page.goto('/lock?key=…')` works.
  baseURL: async ({ workerSignalbox }, use) => use(workerSignalbox.baseUrl),
  consoleErrors: [
    async ({ page }, use) => {
      const seen: string[] = [];
      const allowed: RegExp[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error')
          seen.push(`console.error: ${message.text()} (${message.location().url})`);
      });
      page.on('pageerror', (error) => seen.push(`uncaught: ${error.message}`));
      await use({ allow: (pattern) => void allowed.push(pattern) });
      expect(seen.filter((text) => !allowed.some((pattern) => pattern.test(text)))).toEqual([]);
    },
    { auto: true },
  ],
});
