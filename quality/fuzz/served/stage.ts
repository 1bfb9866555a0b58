/** The production build in front of a real Consul with content, and a reader of Consul that knows nothing of us. */

import { problemCodes } from '@/lib/domain/problem';
import { lockFlags, newCoordination, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';
import { claim, type Target, target, type Verdict } from '@/quality/fuzz/target';
import { startConsul, type TestConsul } from '@/test/support/consul';
import { putRuled } from '@/test/support/ruled-keys';
import { type Server, startServer } from '@/test/support/server';
import { type Asked, apiPaths, readerToken, requests } from './requests';
import { type Answer, send } from './socket';

/** Text that no answer and no line of the log may contain. */
const secrets = [
  '5f0c7a1e-secret-of-embeds-0123456789',
  '9d41-secret-of-sessions-0123456789abcdef',
  readerToken,
];

export interface Stage {
  readonly target: Target;
  /** Throws when Consul's content has changed, or the server is not as before. */
  readonly check: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Everything in Consul, by a plain read. */
async function everything(consul: TestConsul): Promise<string> {
  const headers = { 'x-consul-token': consul.token ?? '' };
  const read = async (path: string) =>
    (await fetch(`http://${consul.address}/v1/${path}`, { headers })).text();
  return `${await read('kv/?recurse')}\n${await read('session/list')}`;
}

/** Creates the reader's token. */
async function admit(consul: TestConsul): Promise<void> {
  const what = ['key', 'session', 'node', 'agent'].map((one) => `${one}_prefix "" { policy = "read" }`);
  for (const [path, body] of [
    ['policy', { Name: 'reader', Rules: what.join('\n') }],
    ['token', { SecretID: readerToken, Policies: [{ Name: 'reader' }] }],
  ] as const) {
    const response = await fetch(`http://${consul.address}/v1/acl/${path}`, {
      method: 'PUT',
      headers: { 'x-consul-token': consul.token ?? '' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }
}

async function furnish(consul: TestConsul): Promise<void> {
  const client = consul.client();
  const options = { ttlMs: null, behavior: 'release', lockDelayMs: 0, checks: [] } as const;
  const first = await client.createSession({ name: 'worker', ...options });
  const second = await client.createSession({ name: 'other', ...options });
  const none = Buffer.alloc(0);
  await client.acquire({
    key: 'jobs/leader',
    value: Buffer.from('{"owner":"me"}'),
    flags: lockFlags,
    session: first,
  });
  for (const session of [first, second])
    await client.acquire({ key: `jobs/${session}`, value: none, flags: semaphoreFlags, session });
  const ghost = 'aaaaaaa1-0000-4000-8000-000000000001';
  const rows: [string, Buffer, string][] = [
    ['jobs/.lock', newCoordination('map', 2, [first, ghost]), semaphoreFlags],
    ['other/.lock', Buffer.from('{"Limit":1,"Holders":{"\\ud800":true,"__proto__":true}}'), semaphoreFlags],
    ['odd//key', Buffer.from([0, 255]), lockFlags],
    ['lead \u202e\u200b', none, lockFlags],
  ];
  for (const [key, value, flags] of rows) await client.txn([{ verb: 'set', key, value, flags }]);
  for (const key of ['../up', '/lead']) await putRuled(consul, client, { key, flags: lockFlags });
}

/** The invariants of one answer. */
function checkAnswer({ kind, path }: Asked, { status, headers, body }: Answer): Verdict {
  for (const secret of secrets) claim(!body.includes(secret), 'a secret is in the answer');
  if (status === null) {
    claim(kind === 'bent', 'no answer');
    return 'refused';
  }
  const verdict = status < 400 ? 'taken' : 'refused';
  const type = headers['content-type'] ?? '';
  const problem = type.startsWith('application/problem+json');
  claim(status < 500 || (status === 503 && problem), `status ${status}: ${body.slice(0, 300)}`);
  if (kind === 'bent' || status < 400 || !apiPaths.includes(path)) return verdict;
  // Node refuses too large requests before the server sees them.
  if (status === 431) return verdict;
  claim(problem, `a refusal without a problem: ${status} ${type} ${body.slice(0, 200)}`);
  if (body === '') return verdict;
  const said = JSON.parse(body.replace(/^[0-9a-f]+\r\n|\r\n0\r\n\r\n$/gi, '')) as { code?: string };
  claim(
    (problemCodes as readonly (string | undefined)[]).includes(said.code),
    `a refusal without a code: ${body}`,
  );
  return verdict;
}

export async function openStage(): Promise<Stage> {
  const consul = await startConsul({ acl: true, openPaths: true });
  await furnish(consul);
  await admit(consul);
  const signalbox: Server = await startServer({
    consulAddress: consul.address,
    env: {
      CONSUL_HTTP_TOKEN: consul.token ?? '',
      SIGNALBOX_TRUSTED_PROXY: '127.0.0.1',
      SIGNALBOX_EMBED_KEYS: `first:${secrets[0]}`,
      SIGNALBOX_SECRET: secrets[1] ?? '',
    },
  });
  const port = Number(new URL(signalbox.baseUrl).port);
  const before = await everything(consul);
  return {
    target: target({
      name: 'requests',
      guarantee:
        'Anything sent to the server is answered or cut off within seconds: never with status 500, and every refusal of the API is a problem with a code.',
      inputs: requests,
      check: async (asked) => checkAnswer(asked, await send(port, asked.bytes, { cut: asked.cut })),
      share: 0.03,
      casesMin: 50_000,
    }),
    check: async () => {
      claim((await everything(consul)) === before, 'something was written to Consul');
      const alive = await fetch(`${signalbox.baseUrl}/healthz`);
      claim(alive.status === 200, `the server does not answer: ${alive.status}`);
      const chain = await fetch(`${signalbox.baseUrl}/api/v1/audit/chain`, {
        headers: { 'x-forwarded-for': '127.0.0.1', 'x-consul-token': consul.token ?? '' },
      });
      const said = await chain.text();
      claim(chain.status === 200 && said.includes('"brokenAt":null'), `the audit is not whole: ${said}`);
      // Next logs each request with a cut body, and continues.
      const log = signalbox.log().replaceAll(/uncaughtException: +Error: aborted/g, '');
      for (const secret of [...secrets, consul.token ?? secrets[0] ?? ''])
        claim(!log.includes(secret), 'a secret is in the log');
      const bug = /.*("bug"|Unhandled|uncaught|RangeError|TypeError|URIError).*/i.exec(log)?.[0];
      claim(bug === undefined, `the log tells of a bug: ${bug?.slice(0, 600)}`);
    },
    stop: signalbox.stop,
  };
}
