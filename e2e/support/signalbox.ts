/**
 * What every end-to-end test runs on: a real Consul agent, the production build of the console in front of it, and a
 * page in real Chromium. A `console.error` or an uncaught error on the page fails the test that caused it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { withoutConsul } from '@/scripts/agent.mjs';
import { startNext, urlOf, whenAnswering } from '@/scripts/console.mjs';
import { createCrew } from '@/scripts/crew.mjs';
import { claimPorts } from '@/scripts/ports.mjs';
import { startConsul, stopAll, type TestConsul } from '@/test/support/consul';

export { expect };

export interface Signalbox {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** What the server has printed so far. */
  log(): string;
  stop(): Promise<void>;
}

/** Starts a server of the build in `.next` in front of a Consul; resolves when the page answers. */
export async function startSignalbox({
  consulAddress,
  env = {},
  port: again,
}: {
  /** `host:port`, of an agent or of a fault proxy in front of one. */
  consulAddress: string;
  env?: Record<string, string>;
  /** Of a server that was stopped: this one takes its place. */
  port?: number;
}): Promise<Signalbox> {
  const block = again === undefined ? await claimPorts(1) : null;
  const port = again ?? block?.ports[0] ?? 0;
  const host = '127.0.0.1';
  const crew = createCrew({ graceMs: 4_000 });
  const data = mkdtempSync(join(tmpdir(), 'signalbox-data-'));
  const next = startNext({
    crew,
    mode: 'start',
    host,
    port,
    env: {
      ...withoutConsul(process.env),
      CONSUL_HTTP_ADDR: consulAddress,
      SIGNALBOX_HOST: host,
      SIGNALBOX_DATA: data,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [next.stdout, next.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  const baseUrl = urlOf({ host, port });
  const stop = async () => {
    await crew.end();
    block?.release();
    rmSync(data, { recursive: true, force: true });
  };
  try {
    await whenAnswering({ url: baseUrl, next, timeoutMs: 30_000 });
  } catch (cause) {
    await stop();
    throw new Error(`The console did not start:\n${text}`, { cause });
  }
  return { baseUrl, log: () => text, stop };
}

export interface ConsoleErrors {
  /** Errors that match are what this test is about, such as those of a server that it stops. */
  allow(pattern: RegExp): void;
}

export const test = base.extend<
  { consoleErrors: ConsoleErrors; baseUrl: string; consul: TestConsul },
  { workerConsul: TestConsul; workerSignalbox: Signalbox }
>({
  workerConsul: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are used from this pattern.
    async ({}, use) => {
      await use(await startConsul());
      await stopAll();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  workerSignalbox: [
    async ({ workerConsul }, use) => {
      const signalbox = await startSignalbox({ consulAddress: workerConsul.address });
      await use(signalbox);
      await signalbox.stop();
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  consul: async ({ workerConsul }, use) => use(workerConsul),
  baseUrl: async ({ workerSignalbox }, use) => use(workerSignalbox.baseUrl),
  // So that `page.goto('/lock?key=…')` works.
  baseURL: async ({ workerSignalbox }, use) => use(workerSignalbox.baseUrl),
  consoleErrors: [
    async ({ page }, use) => {
      const seen: string[] = [];
      const allowed: RegExp[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error')
          seen.push(`console.error: ${message.text()} (${message.location().url})`);
      });
      page.on('pageerror', (error) => seen.push(`uncaught: ${error.message}`));
      await use({ allow: (pattern) => void allowed.push(pattern) });
      expect(seen.filter((text) => !allowed.some((pattern) => pattern.test(text)))).toEqual([]);
    },
    { auto: true },
  ],
});
