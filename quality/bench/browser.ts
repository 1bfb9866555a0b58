/** Chromium for benchmarks, and the tasks of its main thread. */
import { type Browser, chromium, type Page } from '@playwright/test';

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.SIGNALBOX_CHROMIUM, args: ['--no-sandbox'] });
}

/** Resolves when the page follows the stream and shows everything that came with it. */
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
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The duration of each task of a page's main thread, milliseconds, longest first. */
export interface Tasks {
  readonly tookMs: readonly number[];
  /** Durations without the time in which other threads and processes had the core. */
  readonly ownMs: readonly number[];
}

/** Runs `act` and returns the tasks of the page's main thread meanwhile. */
export async function tasksDuring(browser: Browser, page: Page, act: () => Promise<void>): Promise<Tasks> {
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
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) => ph === 'X' && /RunTask$/.test(name) && mains.has(`${pid} ${tid}`),
  );
  const longestFirst = (of: (task: TraceEvent) => number | undefined) =>
    tasks.map((task) => (of(task) ?? 0) / 1000).sort((a, b) => b - a);
  return { tookMs: longestFirst(({ dur }) => dur), ownMs: longestFirst(({ tdur }) => tdur) };
}
