/**
 * Consul, Redis and ZooKeeper on one board, each with something stuck and real clients that wait for it. A person mends
 * each by its own action, and works on with the third when the other two are down.
 */
import type { Page } from '@playwright/test';
import { isLive } from '@/e2e/support/person';
import { expect, press, startSignalbox, test } from '@/e2e/support/signalbox';
import { paths } from '@/lib/client/paths';
import { en } from '@/lib/i18n/messages';
import { runConsulLock, startConsul } from '@/test/support/consul';
import { startCurator } from '@/test/support/curator';
import { noRedis, startTestRedis } from '@/test/support/redis';
import { noRedisson, startRedisson } from '@/test/support/redisson';
import { until } from '@/test/support/until';
import { noZooKeeper, startTestZooKeeper } from '@/test/support/zookeeper';

const absent = (await noRedis()) ?? (await noRedisson()) ?? (await noZooKeeper());

const pool = 'pool:printers';
const deploy = '/locks/deploy';
const report = 'jobs/report/.lock';

const row = (page: Page, href: string) => page.locator('tr', { has: page.locator(`a[href="${href}"]`) });

/** Real servers and clients: a permit pool that a killed client emptied, a queue behind a hung holder, and another one. */
async function stuck() {
  const [consul, redis, zookeeper] = await Promise.all([
    startConsul(),
    startTestRedis(),
    startTestZooKeeper(),
  ]);
  const [redisson, doomed, curator, hangs] = await Promise.all([
    startRedisson(redis),
    startRedisson(redis),
    startCurator(zookeeper.address, { sessionMs: 40_000 }),
    startCurator(zookeeper.address, { sessionMs: 40_000 }),
  ]);
  await redisson.thread('sets').semaphore(pool).set(3);
  await doomed.thread('a').semaphore(pool).acquire({ permits: 2 });
  await doomed.kill9();
  const prints = redisson.thread('prints').semaphore(pool).acquire({ permits: 2 });

  const mutex = { kind: 'mutex', path: deploy } as const;
  await hangs.thread('hangs').acquire(mutex);
  const deploys = curator.thread('next').acquire(mutex);

  const prefix = 'jobs/report';
  const hung = runConsulLock(consul, { n: 1, prefix, command: 'sleep 600', args: ['-verbose'] });
  await until(() => hung.isHolding(), { what: 'the first holds', timeoutMs: 30_000 });
  const next = runConsulLock(consul, { n: 1, prefix, command: 'sleep 600', args: ['-verbose'] });

  const signalbox = await startSignalbox({
    consulAddress: consul.address,
    env: {
      SIGNALBOX_SOURCES: [
        'consul://?id=consul&title=Consul',
        `redis://${redis.address}?id=redis&title=Redis&semaphores=${pool}:3`,
        `zookeeper://${zookeeper.address}/?id=zookeeper&title=ZooKeeper&prefixes=/locks/`,
      ].join(' '),
    },
  });
  return {
    ...{ consul, redis, zookeeper, redisson, curator, mutex, prints, deploys, hung, next, signalbox },
    stop: async () => {
      for (const one of [hung, next, redisson, curator, hangs]) one.kill9();
      await signalbox.stop();
      await Promise.all([consul.stop(), redis.stop(), zookeeper.stop()]);
    },
  };
}

/** Presses the button, and does what the dialog is about once `says` stands in its plan. */
async function act(page: Page, button: string | RegExp, says: RegExp, permits?: string): Promise<void> {
  const named = page.getByRole('main').getByRole('button', { name: button });
  if (!(await named.first().isVisible())) await press(page.getByRole('button', { name: en.action.more }));
  const item = page.getByRole('menuitem', { name: button });
  await expect(named.or(item).first()).toBeVisible();
  await press(named.or(item).first());
  const dialog = page.getByRole('dialog');
  if (permits !== undefined) await dialog.getByLabel(en.action.returns.label).fill(permits);
  await expect(dialog).toContainText(says);
  await dialog.getByLabel('Reason').fill('its process is gone');
  const confirm = dialog.getByLabel(/^Type .* to confirm$/);
  if (await confirm.isVisible()) await confirm.fill(await dialog.locator('label code').last().innerText());
  await press(dialog.getByRole('button', { name: /^(Release|Return permits|Hand over)/ }));
  await expect(dialog.getByRole('button', { name: 'Close' })).toBeVisible({ timeout: 20_000 });
}

test.describe('three backends on one board', () => {
  test.skip(absent !== null, absent ?? '');

  test('each stuck thing is mended by its own action while real clients wait, and two that are down leave the third to work', async ({
    page,
    consoleErrors,
  }) => {
    test.setTimeout(240_000);
    consoleErrors.allow(/Failed to load resource|ERR_|net::/);
    const made = await stuck();
    const { redis, zookeeper, redisson, curator, signalbox } = made;
    const at = (path: string) => `${signalbox.baseUrl}${path}`;
    const [inRedis, inZooKeeper, inConsul] = [
      paths.semaphore(pool, 'redis'),
      paths.lock(deploy, 'zookeeper'),
      paths.lock(report),
    ];
    try {
      await page.goto(at('/'));
      await isLive(page);
      for (const href of [inRedis, inZooKeeper, inConsul])
        await expect(row(page, href)).toBeVisible({ timeout: 30_000 });

      await page.goto(at(inRedis));
      await isLive(page);
      await act(page, en.action.buttons['semaphore.return-permits'], /Nobody knows whose permits/, '2');
      expect(await made.prints).toBe(true);
      expect(await redis.call('GET', pool)).toBe('1');
      // The client goes on as its library has it.
      await redisson.thread('prints').semaphore(pool).release(2);
      expect(await redis.call('GET', pool)).toBe('3');

      await page.goto(at(inZooKeeper));
      await isLive(page);
      await act(page, /^Release /, /ZooKeeper cannot end another client’s session/);
      expect(await made.deploys).toBe(true);
      await curator.thread('next').release(made.mutex);

      await page.goto(at(inConsul));
      await isLive(page);
      await act(page, /^Release /, /Will be written/);
      await until(() => made.next.isHolding(), { what: 'the next one holds', timeoutMs: 40_000 });
      await until(() => made.hung.output().includes('Lock lost'), {
        what: 'the first one to say that it lost',
      });

      // One audit of all three.
      const audit = await (await page.request.get(at('/api/v1/audit'))).text();
      for (const name of [pool, deploy, report]) expect(audit).toContain(name);

      await page.goto(at('/'));
      await isLive(page);
      await Promise.all([redis.kill(), zookeeper.kill()]);
      await expect(page.locator('[data-outage]').first()).toBeVisible({ timeout: 30_000 });
      await expect(row(page, inRedis)).toHaveClass(/not-fresh/, { timeout: 30_000 });
      await expect(row(page, inZooKeeper)).toHaveClass(/not-fresh/, { timeout: 30_000 });
      await expect(row(page, inConsul)).not.toHaveClass(/not-fresh/);
      // What is said of all three names those that it cannot know.
      await expect(page.getByRole('main')).toContainText(
        /Redis as of .*, ZooKeeper as of .*: Nothing in view/,
      );
      await page.goto(at(inConsul));
      await act(page, /^Release /, /Will be written/);
      await until(() => made.next.output().includes('Lock lost'), {
        what: 'the action on the third to be done',
      });

      await Promise.all([redis.start(), zookeeper.start()]);
      await page.goto(at('/'));
      await expect(page.locator('[data-outage]')).toHaveCount(0, { timeout: 60_000 });
    } finally {
      await page.goto('about:blank');
      await made.stop();
    }
  });
});
