/** Consul, Redis and ZooKeeper on one board, each with something stuck, and each mended while real clients run. */
import type { Locator, Page } from '@playwright/test';
import { expect, press, startSignalbox, test } from '@/e2e/support/signalbox';
import { paths } from '@/lib/client/paths';
import { startConsul } from '@/test/support/consul';
import { startCurator, type TestCurator } from '@/test/support/curator';
import { endAll } from '@/test/support/endings';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { noRedisson, startRedisson, type TestRedisson } from '@/test/support/redisson';
import { until } from '@/test/support/until';
import { noZooKeeper, startTestZooKeeper } from '@/test/support/zookeeper';

const inConsul = 'jobs/nightly';
const inRedis = 'job:nightly';
const inZooKeeper = '/pools/db';
const count = '/counts/db';
const row = (page: Page, href: string) => page.locator('tr', { has: page.locator(`a[href="${href}"]`) });

/** Looks at the plan, gives a reason and the name where it is asked for, and does it. */
async function act(page: Page, button: Locator): Promise<Locator> {
  await press(button);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/reason/i).fill('its process is gone');
  const name = dialog.getByLabel(/^Type .* to confirm$/);
  if (await name.isVisible())
    await name.fill((await dialog.locator('label code').first().textContent()) ?? '');
  await press(dialog.getByRole('button', { name: /^(Remove|Destroy|Release|Hand over)/ }).last());
  return dialog;
}

/** A fair lock that nobody holds, whose first in the queue was killed. Resolves with what lets the next one in. */
async function deadHead(clients: readonly [TestRedisson, TestRedisson], queued: () => Promise<number>) {
  const [gone, lives] = clients;
  const lock = { kind: 'fair', name: inRedis } as const;
  const holder = lives.thread('holder');
  await holder.acquire(lock);
  void gone.thread('first').acquire(lock);
  await until(async () => (await queued()) === 1, { what: 'the first to wait' });
  const next = lives.thread('next').acquire(lock);
  await until(async () => (await queued()) === 2, { what: 'the next to wait' });
  await gone.kill9();
  await holder.release(lock);
  return { gotIn: next, leave: () => lives.thread('next').release(lock) };
}

/**
 * A semaphore of one slot that nobody holds, with a lease whose place in the queue is gone. `waiting`: resolves once so
 * many are seen to wait, as only who has seen a lease wait can tell it from one that holds.
 */
async function stuckLease(curator: TestCurator, waiting: (n: number) => Promise<void>) {
  await curator.thread('count').count(count).set(1);
  const pool = { path: inZooKeeper, count };
  const [held = ''] = await curator.thread('a').semaphore(pool).acquire();
  const places = async () => (await curator.thread('look').node(`${inZooKeeper}/locks`).children()) ?? [];
  const second = curator.thread('b').semaphore(pool).acquire();
  await waiting(1);
  const [place = ''] = await places();
  const third = curator.thread('c').semaphore(pool).acquire();
  await waiting(2);
  await curator.thread('look').node(`${inZooKeeper}/locks/${place}`).delete();
  await curator.thread('a').semaphore(pool).release(held);
  return { second, third, leave: (lease: string) => curator.thread('c').semaphore(pool).release(lease) };
}

test('a dead head in Redis, a stuck lease in ZooKeeper and a dead holder in Consul: each is mended by its own action', async ({
  page,
}) => {
  const absent = (await noRedis()) ?? (await noRedisson()) ?? (await noZooKeeper());
  test.skip(absent !== null, absent ?? '');
  test.setTimeout(240_000);
  const [consul, redis, zooKeeper] = await Promise.all([
    startConsul(),
    startTestRedis(),
    startTestZooKeeper(),
  ]);
  const clients = await Promise.all([startRedisson(redis), startRedisson(redis)] as const);
  const curator = await startCurator(zooKeeper.address);
  const client = consul.client();
  const session = await client.createSession({
    name: 'consul worker',
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  await client.acquire({ key: inConsul, value: Buffer.from('x'), flags: '0', session });
  const signalbox = await startSignalbox({
    consulAddress: consul.address,
    env: {
      SIGNALBOX_SOURCES: [
        'consul://?id=consul&title=Consul',
        `redis://${redis.address}?id=jobs&title=Jobs&prefixes=job:`,
        `zookeeper://${zooKeeper.address}?id=pools&title=Pools&prefixes=/pools/&counts=${inZooKeeper}:${count}`,
      ].join(' '),
    },
  });
  const at = (path: string) => `${signalbox.baseUrl}${path}`;
  const [lockPage, poolPage] = [paths.lock(inRedis, 'jobs'), paths.semaphore(inZooKeeper, 'pools')];
  try {
    await page.goto(at('/'));
    await expect(row(page, paths.lock(inConsul))).toContainText('consul worker', { timeout: 20_000 });
    const pool = await stuckLease(curator, (n) =>
      expect(row(page, poolPage).getByRole('cell').nth(2)).toContainText(String(n), { timeout: 20_000 }),
    );
    await expect(row(page, poolPage)).toContainText('Pools');
    await expect(row(page, poolPage).getByText('urgent')).toHaveCount(1, { timeout: 20_000 });

    await page.goto(at(poolPage));
    await expect(page.getByText(/is first in the queue and is certainly gone/)).toBeVisible();
    const removal = await act(page, page.getByRole('button', { name: 'Remove from the queue…' }).first());
    await expect(removal).toContainText('removed', { timeout: 20_000 });
    await expect(removal).toContainText('taken by', { timeout: 20_000 });
    const [lease = ''] = await pool.third;
    await page.keyboard.press('Escape');
    await expect(page.getByText(/is certainly gone/)).toHaveCount(0, { timeout: 20_000 });

    const queue = await deadHead(clients, async () =>
      Number(await redis.call('LLEN', `redisson_lock_queue:{${inRedis}}`)),
    );
    await page.goto(at(lockPage));
    await expect(page.getByText(/It is free, and nobody gets it/)).toBeVisible({ timeout: 30_000 });
    const dead = page.getByRole('table').getByRole('row').nth(1);
    await expect(dead).toContainText('ghost');
    const wake = await act(page, dead.getByRole('button', { name: /^Remove…/ }));
    await expect(wake).toContainText('removed', { timeout: 20_000 });
    await expect(wake).toContainText('taken by', { timeout: 20_000 });
    expect(await queue.gotIn).toBe(true);
    await page.keyboard.press('Escape');
    await expect(page.getByText(/is certainly gone/)).toHaveCount(0, { timeout: 20_000 });

    await page.goto(at(paths.lock(inConsul)));
    const release = await act(page, page.getByRole('button', { name: 'Release nightly' }));
    await expect(release).toContainText('consul worker removed', { timeout: 20_000 });

    // Whoever got in still works, and nothing else was touched.
    await queue.leave();
    await pool.leave(lease);
    const [late = ''] = await pool.second;
    expect(late).not.toBe('');
  } finally {
    await page.goto('about:blank');
    await signalbox.stop();
    await endAll();
    await consul.stop();
  }
});
