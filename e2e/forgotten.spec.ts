/** What came with a request, its cookies and the page that was drawn for it, goes with it: nothing that stays may hold it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask } from '@/e2e/support/raw';
import { expect, test } from '@/e2e/support/signalbox';
import { inProject } from '@/scripts/project.mjs';
import { heldLock } from '@/test/actions/stage';
import { makeToken } from '@/test/identity/tokens';
import { startConsul } from '@/test/support/consul';
import { startServer } from '@/test/support/server';
import { until } from '@/test/support/until';

const readsAll =
  'key_prefix "" { policy = "read" } session_prefix "" { policy = "read" } node_prefix "" { policy = "read" }';

interface Said {
  readonly times: number;
  readonly asked: number;
  readonly kept: readonly string[];
}

test('no request is kept once it was answered, whatever it was the first to need', async () => {
  const consul = await startConsul({ acl: true });
  const { key } = await heldLock(consul.client(), { key: 'jobs/nightly/.lock' });
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-requests-'));
  const server = await startServer({
    consulAddress: consul.address,
    env: {
      SIGNALBOX_TEST_REQUESTS: folder,
      NODE_OPTIONS: `--require ${inProject('e2e', 'support', 'requests.cjs')}`,
      CONSUL_HTTP_TOKEN: consul.token ?? '',
    },
  });
  try {
    const { secret } = await makeToken(consul, readsAll);
    const signedIn = await ask(server.baseUrl, {
      path: '/api/v1/session',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: secret }),
    });
    expect(signedIn.status).toBe(200);
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? '';
    const of = `?key=${encodeURIComponent(key)}`;
    const pages = ['/', `/lock${of}`, '/?q=nihgtly', '/sessions', '/findings', '/audit', '/shares', '/login'];
    for (const language of ['en', 'zh'])
      for (const path of pages) {
        const { status } = await ask(server.baseUrl, {
          path,
          headers: { cookie, 'accept-language': language },
        });
        expect(status, path).toBe(200);
      }
    for (const path of ['/api/v1/snapshot', '/api/v1/events', '/api/v1/rights'])
      await ask(server.baseUrl, { path, headers: { cookie } });

    let times = 0;
    const processes = () => readdirSync(folder).filter((name) => /^\d+$/.test(name));
    const told = async (): Promise<Said[]> => {
      times += 1;
      for (const pid of processes()) process.kill(Number(pid), 'SIGUSR2');
      return until(
        () => {
          const all = processes().map((pid): Said => JSON.parse(readFileSync(join(folder, pid), 'utf8')));
          return all.every((said) => said.times === times) && all;
        },
        { what: 'every process has said what it keeps' },
      );
    };
    await expect
      .poll(async () => (await told()).flatMap(({ kept }) => kept), { timeout: 15_000 })
      .toEqual([]);
    expect((await told()).reduce((sum, { asked }) => sum + asked, 0)).toBeGreaterThan(2 * pages.length);
  } finally {
    await server.stop();
    await consul.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
