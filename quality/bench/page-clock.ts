/**
 * Maps the clock of a page in Chromium to this process. Both count the machine's monotonic clock, each from its own
 * start.
 */
import type { Page } from '@playwright/test';

/** The start of this process's clock, on the machine's clock. */
const beganNs = process.hrtime.bigint() - BigInt(Math.round(performance.now() * 1e6));

/** `performance.now()` of this process for an instant that `process.hrtime.bigint()` printed. */
export const ofMachine = (ns: string) => Number(BigInt(ns) - beganNs) / 1e6;

/** Allowed difference of the clocks: Chromium rounds to 0.1 ms. */
const toleranceMs = 0.5;

/** Resolves with a function from `performance.now()` of the present document to that of this process. */
export async function pageClock(page: Page): Promise<(pageMs: number) => number> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const { metrics } = await cdp.send('Performance.getMetrics');
  await cdp.detach();
  const navigated = metrics.find(({ name }) => name === 'NavigationStart')?.value ?? 0;
  const offsetMs = ofMachine(String(Math.round(navigated * 1e9)));
  const clock = (pageMs: number) => pageMs + offsetMs;
  const beforeMs = performance.now();
  const there = clock(await page.evaluate(() => performance.now()));
  const afterMs = performance.now();
  if (there < beforeMs - toleranceMs || there > afterMs + toleranceMs)
    throw new Error(`The page's clock shows ${there} between ${beforeMs} and ${afterMs} of this process.`);
  return clock;
}
