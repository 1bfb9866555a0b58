/** Servers of event streams with many readers: ours, and a minimal one. */
import { type ChildProcess, fork as forkModule } from 'node:child_process';
import { request } from 'node:http';
import { lockFlags } from '@/lib/providers/consul/rows/coordination';
import { inProject } from '@/scripts/project.mjs';
import type { TestConsul } from '@/test/support/consul';
import { startServer } from '@/test/support/server';
import type { BenchStage } from './figure';
import { startReadCount } from './read-count';
import { createScales, type Weighed } from './weighed';

/** A server, and the readers of its stream. */
export interface StreamServer {
  readonly name: string;
  readonly count: number;
  readonly port: number;
  readonly path: string;
  /** The sign-ins that its viewers use in turns; a single empty one without sign-in. */
  readonly cookies: readonly [string, ...string[]];
  readonly tokens: readonly string[];
  readonly server: Weighed;
  /** Causes an event that contains this text. */
  cause(mark: string): Promise<void>;
  /** Requests to Consul so far. */
  requests(): number;
}

/** Sends a body, and returns the answer once its body came. Throws for a refusal. */
export async function send(
  method: 'PUT' | 'POST',
  url: string,
  body: string,
  headers: Record<string, string> = {},
) {
  const response = await fetch(url, { method, body, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 200)}`);
  return { headers: response.headers, text };
}

/** Forks a program of this folder, which ends with the benchmark. */
export function fork(stage: BenchStage, file: string, env: Record<string, string> = {}): ChildProcess {
  const made = forkModule(inProject('quality/bench', file), { env: { ...process.env, ...env } });
  stage.defer(() => made.kill('SIGKILL'));
  return made;
}

/** Bare `node:http`. `beginning`: each reader's first bytes. `patch`: the later events, as from `readPatch`. */
export async function startBare(
  stage: BenchStage,
  { name, count, beginning, patch }: { name: string; count: number; beginning: string; patch: string },
): Promise<StreamServer> {
  const scales = createScales();
  stage.defer(scales.remove);
  const server = fork(stage, 'bare-stream.mjs', scales.env);
  const { port } = await new Promise<{ port: number }>((resolve) =>
    server.once('message', (said) => resolve(said as { port: number })),
  );
  await send('POST', `http://127.0.0.1:${port}/beginning`, beginning);
  return {
    name,
    count,
    port,
    path: '/',
    cookies: [''],
    tokens: [],
    server: scales.process(),
    requests: () => 0,
    cause: async (mark) => {
      await send('POST', `http://127.0.0.1:${port}/`, patch.replaceAll('$MARK', mark));
    },
  };
}

/** One address may sign in three hundred people in ten minutes (`lib/server/http/limits.ts`). */
export function signIn(port: number, token: string, number: number): Promise<string> {
  const localAddress = `127.2.1.${1 + (number % 8)}`;
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path: '/api/v1/session', method: 'POST', headers, localAddress },
      (answer) => {
        answer.resume();
        const [cookie = ''] = answer.headers['set-cookie'] ?? [];
        if (answer.statusCode === 200 || answer.statusCode === 204) resolve(cookie.split(';')[0] ?? '');
        else reject(new Error(`Signing in answered ${answer.statusCode}.`));
      },
    );
    asked.on('error', reject);
    asked.end(JSON.stringify({ token }));
  });
}

/** The rules of a viewer's token, which reads everything in view. */
export const viewerRules = `key_prefix "" { policy = "read" } session_prefix "" { policy = "read" } node_prefix "" { policy = "read" }`;

/**
 * A console before this Consul with ACLs, with this many locks in view. Each person has their own token, with these
 * policies in turns.
 */
export async function startOurs(
  stage: BenchStage,
  {
    consul,
    name,
    people,
    count,
    locks,
    policies = 1,
  }: {
    consul: TestConsul;
    name: string;
    people: number;
    count: number;
    locks: number;
    policies?: number;
  },
): Promise<StreamServer> {
  const asRoot = { 'x-consul-token': consul.token ?? '' };
  const root = async (path: string, body: string) =>
    JSON.parse((await send('PUT', `http://${consul.address}/v1/${path}`, body, asRoot)).text);
  for (let n = 0; n < locks; n += 1) await root(`kv/${name}/lock-${n}?flags=${lockFlags}`, 'free');
  for (let n = 0; n < policies; n += 1)
    await root('acl/policy', JSON.stringify({ Name: `${name}-${n}`, Rules: viewerRules }));
  const scales = createScales();
  stage.defer(scales.remove);
  const counted = await startReadCount(consul.address);
  stage.defer(counted.close);
  const signalbox = await startServer({
    consulAddress: counted.address,
    env: { ...scales.env, SIGNALBOX_PREFIXES: `${name}/`, CONSUL_HTTP_TOKEN: consul.token ?? '' },
  });
  stage.defer(signalbox.stop);
  const port = Number(new URL(signalbox.baseUrl).port);
  const tokens: string[] = [];
  const person = async (n: number) => {
    const Policies = [{ Name: `${name}-${n % policies}` }];
    const token = await root('acl/token', JSON.stringify({ Policies }));
    tokens.push(token.SecretID);
    return signIn(port, token.SecretID, n);
  };
  const cookies: [string, ...string[]] = [await person(0)];
  while (cookies.length < people) cookies.push(await person(cookies.length));
  return {
    name,
    count,
    port,
    path: '/api/v1/events',
    cookies,
    tokens,
    server: scales.process(),
    requests: () => counted.requests,
    cause: async (mark) => {
      await root(`kv/${name}/lock-7?flags=${lockFlags}`, mark);
    },
  };
}

/** A patch as a reader gets it, with `$MARK` in place of the stored value. */
export async function readPatch({ port, path, cookies, cause }: StreamServer): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie: cookies[0] } });
  const decoder = new TextDecoder();
  let text = '';
  let caused = false;
  for await (const part of response.body ?? []) {
    text += decoder.decode(part, { stream: true });
    if (!caused) await cause('$MARK');
    caused = true;
    const found = /event: patch\n(?:.+\n)*data: .*\$MARK.*\n\n/.exec(text)?.[0];
    if (found !== undefined) return found;
  }
  throw new Error('There was no patch.');
}
