/** A browser whose clock is wrong by a minute: ages and rests on a page follow the server's clock all the same. */
import type { Page } from '@playwright/test';
import { expect, test } from '@/e2e/support/signalbox';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { until } from '@/test/support/until';

const flags = '3304740253564472344';
const renewMs = 3_000;
let renewing: ReturnType<typeof setInterval> | undefined;
test.afterEach(() => clearInterval(renewing));

/** The page's clock alone: that of a shared worker stays as it is, and the page must not rely on it. */
const setClock = (page: Page, byMs: number) =>
  page.addInitScript((ms) => {
    const real = Date.now;
    Date.now = () => real() + ms;
  }, byMs);

/** The seconds that stand where this pattern has its group. */
async function secondsIn(page: Page, pattern: RegExp): Promise<number> {
  const text = (await page.locator('main').innerText()).replaceAll('\u00a0', ' ');
  return Number(pattern.exec(text)?.[1] ?? Number.NaN);
}

for (const aheadMs of [60_000, -60_000])
  test(`a browser that is ${aheadMs / 1000} s ahead shows how long ago a renewal was, and how long a lock-delay goes on`, async ({
    page,
    consul,
    baseUrl,
  }) => {
    test.setTimeout(180_000);
    const client = consul.client();
    const key = `clock/lock${aheadMs}`;
    const session = await client.createSession({
      name: 'steady',
      ttlMs: 15_000,
      behavior: 'release',
      lockDelayMs: 60_000,
      checks: ['serfHealth'],
    });
    await client.acquire({ key, value: Buffer.from(''), flags, session });
    renewing = setInterval(() => void client.renewSession(session).catch(() => {}), renewMs);
    const world = async () =>
      (await (await fetch(`${baseUrl}/api/v1/snapshot?prefix=${key}`)).json()) as Snapshot;
    await until(
      async () => (await world()).locks[0]?.holder?.evidence.some(({ code }) => code === 'renewal-observed'),
      { what: 'the renewals to be observed', timeoutMs: 40_000 },
    );
    await setClock(page, aheadMs);
    await page.goto(`/lock?key=${key}`);
    await expect(page.getByText(/^live/).first()).toBeVisible();
    const main = page.locator('main');
    await expect(main).toContainText(/Renewed/);
    // Never more than one renewal and what a busy machine adds; a minute would be due, or "0 s" for ever.
    await expect.poll(() => secondsIn(page, /Renewed (\d+) s ago/)).toBeLessThan(10);
    await expect.poll(() => secondsIn(page, /Renewed (\d+) s ago/)).toBeGreaterThan(0);
    await expect(main).not.toContainText('A renewal is due.');
    clearInterval(renewing);

    await client.destroySession(session);
    await until(async () => (await world()).locks[0]?.delayedUntilMs, { what: 'the lock-delay' });
    const untilMs = (await world()).locks[0]?.delayedUntilMs ?? 0;
    await expect
      .poll(async () => {
        const rest = await secondsIn(page, /, in (\d+) s\./);
        return Math.abs(rest * 1000 - (untilMs - Date.now()));
      })
      .toBeLessThan(2_500);

    // A person who compares it with their own clock learns why.
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog')).toContainText(
      aheadMs > 0 ? / ahead of Signalbox/ : / behind Signalbox/,
    );
  });
