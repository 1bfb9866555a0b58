/** `signalbox history` against the production build: who held it, how long, and how it ended, from what that build recorded. */
import { expect, test } from '@playwright/test';
import { type Signalbox, startSignalbox } from '@/e2e/support/signalbox';
import { run } from '@/test/support/command';
import { startConsul, stopAll, type TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

// Each command is a process of its own.
test.describe.configure({ timeout: 120_000 });

let consul: TestConsul;
let signalbox: Signalbox;

test.beforeAll(async () => {
  consul = await startConsul();
  signalbox = await startSignalbox({ consulAddress: consul.address });
});

test.afterAll(async () => {
  await signalbox.stop();
  await stopAll();
});

const command = (...args: string[]) => run(args, { SIGNALBOX_ADDR: signalbox.baseUrl });
const says = (name: string, text: string | RegExp) =>
  until(
    async () => {
      const ran = await command('history', name);
      return ran.out.search(text) !== -1 && ran;
    },
    { what: `the history of ${name}: ${text}`, timeoutMs: 30_000, everyMs: 300 },
  );

async function held(
  key: string,
  name: string,
): Promise<{ readonly id: string; release(): Promise<unknown> }> {
  const client = consul.client();
  const id = await client.createSession({
    name,
    ttlMs: null,
    behavior: 'release',
    lockDelayMs: 0,
    checks: [],
  });
  const entry = { key, value: Buffer.from('x'), flags: '0', session: id };
  expect(await client.acquire(entry)).toBe(true);
  return { id, release: () => client.release(entry) };
}

test('holds of a lock are printed in their order, with their ends and who caused them, and --json is what the API says', async () => {
  const key = 'cli/history/leader';
  const first = await held(key, 'first-worker');
  await says(key, 'holds now');
  await first.release();
  await says(key, 'released');
  const second = await held(key, 'second-worker');
  await says(key, 'holds now');
  const planned = await command('release', key);
  expect(planned.status).toBe(0);
  const { confirmName } = JSON.parse((await command('release', key, '--json')).out).plan;
  const confirm = confirmName === null ? [] : ['--confirm', confirmName];
  const done = await command('release', key, '--yes', '--reason', 'stuck since noon', ...confirm);
  expect([done.status, done.err]).toEqual([0, '']);
  const { out, status } = await says(key, /removed from Signalbox by .*: stuck since noon/);
  expect(status).toBe(0);
  // The time before this server watched is a line of its own.
  const lines = out
    .trim()
    .split('\n')
    .filter((line) => !line.includes('not watched: restart'));
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('first-worker');
  expect(lines[1]).toContain('second-worker');
  for (const line of lines) expect(line).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} /);

  const json = JSON.parse((await command('history', key, '--json')).out);
  expect(json.episodes.map(({ who, end }: { who: { id: string }; end: string }) => [who.id, end])).toEqual([
    [first.id, 'released'],
    [second.id, 'evicted-here'],
  ]);
  const asked = await fetch(`${signalbox.baseUrl}/api/v1/history?subject=lock:${key}`);
  expect(await asked.json()).toMatchObject({ episodes: json.episodes });
});

test('the beginning of names lists all of them by name, another name nothing, and a span the newest part', async () => {
  await held('cli/several/a', 'worker-a');
  await held('cli/several/b', 'worker-b');
  const { out } = await says(
    'cli/several/',
    /(?=[\s\S]*lock cli\/several\/a)(?=[\s\S]*lock cli\/several\/b)/,
  );
  expect(out).toMatch(/worker-a +.*holds now/);
  const none = await command('history', 'cli/no-such');
  expect([none.status, none.out.includes('worker')]).toEqual([0, false]);
  expect((await command('history', 'cli/several/', '--since', '1h')).status).toBe(0);
  expect((await command('history', 'cli/several/', '--since', '40d')).status).not.toBe(0);
});
