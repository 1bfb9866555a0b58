/** The commands of a plan, run by a shell as they stand, also where what they write is larger than an argument may be. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import type { ManualStep } from '@/lib/domain/actions/plan';
import { en } from '@/lib/i18n/messages';
import { scriptOf } from '@/lib/i18n/script';
import { startConsul } from '@/test/support/consul';
import { actorOn, contender, entry, fresh, planned, row, signal } from './stage';

const run = promisify(execFile);
const consul = await startConsul();
const client = consul.client();
const actor = actorOn(client);
const bin = mkdtempSync(join(tmpdir(), 'signalbox-by-hand-'));
symlinkSync(consul.binary, join(bin, 'consul'));
afterAll(async () => {
  rmSync(bin, { recursive: true, force: true });
  await consul.stop();
});

const tools = ['curl', 'consul'] as const satisfies readonly ManualStep['tool'][];

/** A shell gets the script as a person pastes it: on its standard input, where an argument's length does not count. */
async function paste(script: string): Promise<string> {
  const shell = run('sh', [], {
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
    timeout: 20_000,
  });
  shell.child.stdin?.end(`${script}\n`);
  const { stdout, stderr } = await shell;
  return `${stdout}${stderr}`;
}

test.each(tools.flatMap((tool) => [200, 100_000, 300_000].map((bytes) => ({ tool, bytes }))))(
  '$tool resizes a semaphore whose entry has $bytes bytes',
  async ({ tool, bytes }) => {
    const prefix = fresh('semaphore/by-hand');
    const note = 'x'.repeat(bytes);
    await entry(client, prefix, `{"Limit":2,"Holders":{},"note":"${note}"}`);
    const { plan } = planned(
      await actor.plan({ type: 'semaphore.resize', source: 'consul', prefix, limit: 3 }, signal()),
    );
    const steps = plan.manual.filter((step) => step.tool === tool);
    expect(steps.length).toBeGreaterThan(0);
    await paste(scriptOf(steps, en));
    const after = await row(client, `${prefix}/.lock`);
    expect(after.value.toString()).toBe(`{"Limit":3,"Holders":{},"note":"${note}"}`);
  },
);

test.each(tools)(
  '%s frees the slot alone of a holder in a large entry, and deletes its key after that',
  async (tool) => {
    const prefix = fresh('semaphore/by-hand');
    const id = await contender(client, prefix);
    const note = 'x'.repeat(100_000);
    await entry(client, prefix, `{"Limit":2,"Holders":{"${id}":true},"note":"${note}"}`);
    const { plan } = planned(
      await actor.plan(
        { type: 'semaphore.evict', source: 'consul', prefix, sessionId: id, how: 'slot-only' },
        signal(),
      ),
    );
    await paste(
      scriptOf(
        plan.manual.filter((step) => step.tool === tool),
        en,
      ),
    );
    expect((await row(client, `${prefix}/.lock`)).value.toString()).toBe(
      `{"Limit":2,"Holders":{},"note":"${note}"}`,
    );
    expect((await client.get(`${prefix}/${id}`)).value).toBeNull();
  },
);
