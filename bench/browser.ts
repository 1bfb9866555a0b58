/** Chromium for benchmarks, and what its main thread did. */
import { type Browser, chromium, type Page } from '@playwright/test';

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.SIGNALBOX_CHROMIUM, args: ['--no-sandbox'] });
}

/** Resolves when the page follows the stream and all that came with it is on the screen. */
export async function untilLive(page: Page): Promise<void> {
  await page.getByText(/^live/).first().waitFor({ timeout: 60_000 });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))));
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly args?: { readonly name?: string };
}

/** Runs `act` and returns how long each task of the page's main thread took meanwhile, milliseconds, longest first. */
export async function tasksDuring(
  browser: Browser,
  page: Page,
  act: () => Promise<void>,
): Promise<readonly number[]> {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: readonly TraceEvent[];
  };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents
    .filter(({ name, ph, pid, tid }) => ph === 'X' && /RunTask$/.test(name) && mains.has(`${pid} ${tid}`))
    .map(({ dur = 0 }) => dur / 1000)
    .sort((a, b) => b - a);
}
