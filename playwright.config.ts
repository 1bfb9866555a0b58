import { defineConfig } from '@playwright/test';
import { installedChromium } from './scripts/chromium.mjs';

const executablePath = installedChromium(process.env, { shell: true });
/** Of `scripts/fonts.mjs`: Chinese characters where this machine has none, and none where it has some. */
const otherFonts = process.env.SIGNALBOX_OTHER_FONTS;

const launchOptions = {
  ...(executablePath === null ? {} : { executablePath }),
  args: [
    // Chromium refuses to run as root with its sandbox, and build servers are root.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    '--disable-quic',
  ],
};

/** Each worker starts its own Consul and its own server of the production build: see `e2e/support/signalbox.ts`. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // Most of the time is spent waiting for Consul's own spans (TTLs, lock-delays, elections): two waits fit into one.
  workers: 2,
  forbidOnly: process.env.CI !== undefined,
  // Most tests take a tenth of this. But a machine that is busy with others may take ten times as long for all of it.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [
    ['list'],
    ['json', { outputFile: process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ?? '.signalbox/results/e2e.json' }],
  ],
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    screenshot: 'only-on-failure',
    launchOptions,
  },
  projects: [
    { name: 'chromium' },
    ...(otherFonts === undefined
      ? []
      : [
          {
            name: 'other-fonts',
            testMatch: 'form.spec.ts',
            grep: / in zh$/,
            use: {
              launchOptions: { ...launchOptions, env: { ...process.env, FONTCONFIG_FILE: otherFonts } },
            },
          },
        ]),
  ],
});
