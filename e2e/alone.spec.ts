/** Without shared workers each page follows on its own, with code that other browsers fetch in an idle moment. */
import { expect, test } from '@/e2e/support/signalbox';

test('without shared workers a page is live on its own, and shows every change', async ({ page, consul }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'SharedWorker'));
  await page.goto('/');
  await expect(page.getByText(/^live/).first()).toBeVisible();
  const client = consul.client();
  const session = await client.createSession({
    name: 'alone',
    ttlMs: null,
    behavior: 'delete',
    lockDelayMs: 0,
    checks: ['serfHealth'],
  });
  await client.acquire({ key: 'alone/lock', value: Buffer.from(''), flags: '3304740253564472344', session });
  await expect(page.locator('[data-row="lock:alone/lock"]')).toBeVisible();
});

test('a page whose worker never answers is live on its own', async ({ page }) => {
  await page.addInitScript(() => {
    const port = Object.assign(new EventTarget(), { postMessage: () => {}, close: () => {} });
    Object.assign(window, {
      SharedWorker: class {
        readonly port = port;
      },
    });
  });
  await page.goto('/');
  await expect(page.getByText(/^live/).first()).toBeVisible();
});
