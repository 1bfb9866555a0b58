/** The demo beside Consul: what `npm start -- --demo` shows of Redis and ZooKeeper where they are here. */
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { claimBeside, sourcesWith } from '@/scripts/beside.mjs';
import { leash } from '@/scripts/leash.mjs';
import { isFree } from '@/scripts/ports.mjs';
import { inProject } from '@/scripts/project.mjs';
import { connectResp } from '@/scripts/resp.mjs';
import { fourLetters } from '@/scripts/zookeeper.mjs';
import { endsWithFile } from '@/test/support/endings';
import { noRedis } from '@/test/support/redis';
import { noRedisson } from '@/test/support/redisson';
import { until } from '@/test/support/until';
import { noZooKeeper } from '@/test/support/zookeeper';

const absent = (await noRedis()) ?? (await noRedisson()) ?? (await noZooKeeper());

test.skipIf(absent !== null)(
  'real clients contend on both, and all of it ends with the pipe of whoever started it',
  async () => {
    for (const named of [{ SIGNALBOX_SOURCES: 'consul://' }, { SIGNALBOX_SOURCES_FILE: '/none' }])
      expect(await claimBeside(named)).toBeNull();
    const beside = await claimBeside({});
    if (beside === null || beside.redis === null || beside.zookeeper === null)
      throw new Error('It is here, and was not found.');
    expect(sourcesWith(beside)).toContain(`redis://127.0.0.1:${beside.redis}?id=redis`);
    const world = leash(
      spawn(process.execPath, [inProject('scripts/demo/beside.mjs'), JSON.stringify(beside)], {
        detached: true,
        stdio: ['pipe', 'ignore', 'inherit'],
      }),
    );
    const exited = new Promise<number | null>((resolve) => world.once('exit', (code) => resolve(code)));
    endsWithFile(async () => {
      world.stdin.end();
      await exited;
    });
    const { redis: port, zookeeper } = beside;
    await until(
      async () => {
        const look = connectResp({ port });
        const [held, left] = [
          await look.call('TYPE', 'shop:stock-count'),
          await look.call('GET', 'shop:printers'),
        ];
        look.close();
        return held === 'hash' && left === '1';
      },
      { what: 'Redisson contends', timeoutMs: 100_000, everyMs: 200 },
    );
    await until(async () => (await fourLetters(zookeeper.client, 'dump')).includes('/shop/locks/migrate/'), {
      what: 'Curator contends',
      timeoutMs: 100_000,
      everyMs: 200,
    });
    world.stdin.end();
    expect(await exited).toBe(0);
    expect(await isFree(port)).toBe(true);
    expect(await isFree(zookeeper.client)).toBe(true);
  },
  300_000,
);
