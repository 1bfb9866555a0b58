/** What the page says while Consul is away, and that it comes back by itself. */
import { expect, startSignalbox, test } from '@/e2e/support/signalbox';
import { runConsulLock, startConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

test('a stopped, then killed, then restarted Consul: said within seconds, last state kept, live without a reload', async ({
  page,
}) => {
  test.setTimeout(90_000);
  const consul = await startConsul();
  const signalbox = await startSignalbox({ consulAddress: consul.address });
  try {
    runConsulLock(consul, { n: 2, prefix: 'e2e/outage', command: 'sleep 600' });
    const client = consul.client();
    await until(async () => (await client.list('e2e/outage/')).value.length === 2, { what: 'a holder' });
    await page.goto(`${signalbox.baseUrl}/semaphore?prefix=e2e%2Foutage`);
    const evict = page.getByRole('button', { name: /^Evict/ });
    await expect(evict).toBeEnabled();
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));

    consul.pause();
    await expect(page.getByText('Consul does not answer').first()).toBeVisible({ timeout: 15_000 });
    await expect(page.getByText('1 of 2 slots held').first()).toBeVisible();
    await expect(evict).toHaveAttribute('aria-disabled', 'true');
    await expect(evict).toHaveAccessibleDescription(/Consul|stale|old/);

    consul.resume();
    await expect(evict).not.toHaveAttribute('aria-disabled', 'true', { timeout: 20_000 });

    await consul.kill();
    await expect(page.getByText('Consul does not answer').first()).toBeVisible({ timeout: 15_000 });
    await consul.restart();
    await expect(page.getByText(/^live/).first()).toBeVisible({ timeout: 30_000 });
    expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true);
  } finally {
    await signalbox.stop();
    await consul.stop();
  }
});

test('a console that may only read says why on every button, and the API refuses', async ({
  page,
  consul,
}) => {
  const signalbox = await startSignalbox({
    consulAddress: consul.address,
    env: { SIGNALBOX_ACTIONS: 'off' },
  });
  try {
    runConsulLock(consul, { n: 2, prefix: 'e2e/readonly', command: 'sleep 600' });
    await page.goto(`${signalbox.baseUrl}/semaphore?prefix=e2e%2Freadonly`);
    const evict = page.getByRole('button', { name: /^Evict/ });
    await expect(evict).toHaveAttribute('aria-disabled', 'true');
    await expect(evict).toHaveAccessibleDescription(/switched off/);
    await evict.click({ force: true });
    await expect(page.getByRole('dialog')).toHaveCount(0);
    const answer = await page.request.post(`${signalbox.baseUrl}/api/v1/actions`, {
      data: { mode: 'plan', action: { type: 'semaphore.prune', prefixes: ['e2e/readonly'] }, reason: '' },
    });
    expect(answer.status()).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 'read-only' });
  } finally {
    await signalbox.stop();
  }
});
