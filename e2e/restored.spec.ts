/** A snapshot of Consul that is restored under an open page. */
import { expect, startSignalbox, test } from '@/e2e/support/signalbox';
import { runConsulLock, startConsul } from '@/test/support/consul';

test('a snapshot that is restored under the server is said on the page, with its time, and in the API', async ({
  page,
}) => {
  const consul = await startConsul();
  const signalbox = await startSignalbox({ consulAddress: consul.address });
  const put = async (path: string, body: string | ArrayBuffer) => {
    const response = await fetch(`http://${consul.address}/v1/${path}`, { method: 'PUT', body });
    expect(response.status, path).toBe(200);
  };
  try {
    await put('kv/e2e/restored', 'early');
    const taken = await (await fetch(`http://${consul.address}/v1/snapshot`)).arrayBuffer();
    for (const value of ['later', 'last']) await put('kv/e2e/restored', value);
    runConsulLock(consul, { n: 2, prefix: 'e2e/restored-pool', command: 'sleep 600' });
    await page.goto(`${signalbox.baseUrl}/semaphore?prefix=e2e%2Frestored-pool`);
    await expect(page.getByText('1 of 2 slots held').first()).toBeVisible();
    await expect(page.locator('[data-restored]')).toHaveCount(0);

    const before = Date.now();
    await put('snapshot', taken);
    const said = page.locator('[data-restored]').getByRole('status');
    await expect(said).toContainText(/^Consul was put back to an earlier state at \d/);
    await expect(page.getByText('1 of 2 slots held')).toHaveCount(0);
    const { source } = await (await page.request.get(`${signalbox.baseUrl}/api/v1/snapshot`)).json();
    expect(source.restoredAtMs).toBeGreaterThanOrEqual(before);
    expect(source.restoredAtMs).toBeLessThanOrEqual(Date.now());
  } finally {
    await page.goto('about:blank');
    await signalbox.stop();
    await consul.stop();
  }
});
