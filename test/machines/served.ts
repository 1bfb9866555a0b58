/**
 * The routes as they are, in this process: the runtime of the server in front of a real Consul, without the framework
 * around it. The production build behind a socket is what `e2e/machines.spec.ts` asks.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeRuntime, runtime } from '@/lib/server/runtime';
import type { TestConsul } from '@/test/support/consul';
import { until } from '@/test/support/until';

export const host = '127.0.0.1:3000';

type Handler = (request: Request) => Response | Promise<Response>;

export interface Served {
  /** Asks a handler of a route as a program on this machine does. */
  ask(
    handler: Handler,
    path: string,
    options?: { method?: string; headers?: Readonly<Record<string, string>>; body?: unknown },
  ): Promise<Response>;
  stop(): Promise<void>;
}

/** Sets the environment, as a start of the server would, and forgets what ran before. */
export async function serve(
  consul: Pick<TestConsul, 'address'>,
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const dir = mkdtempSync(join(tmpdir(), 'signalbox-served-'));
  const before = { ...process.env };
  for (const name of Object.keys(process.env))
    if (/^(CONSUL_|SIGNALBOX_|DATABASE_URL)/.test(name)) delete process.env[name];
  Object.assign(process.env, {
    CONSUL_HTTP_ADDR: consul.address,
    SIGNALBOX_HOST: '127.0.0.1',
    SIGNALBOX_DATA: dir,
    LOG_LEVEL: 'silent',
    ...env,
  });
  await closeRuntime();
  runtime();
  return {
    ask: async (handler, path, { method = 'GET', headers = {}, body } = {}) =>
      handler(
        new Request(`http://${host}${path}`, {
          method,
          headers: {
            host,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      ),
    stop: async () => {
      await closeRuntime();
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
      Object.assign(process.env, before);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Resolves when the server's own viewpoint is live. */
export async function whenLive(): Promise<void> {
  await until(() => runtime().viewpoints.own.hub.snapshot().source.state === 'live', { what: 'live data' });
}
