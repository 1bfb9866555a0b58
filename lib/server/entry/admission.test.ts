import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createArrivals } from '@/lib/server/http/arrival';
import { createLimits, type Limits } from '@/lib/server/http/limits';
import { createTurns } from '@/lib/server/http/turns';
import { createSeal } from '@/lib/server/identity/seal';
import type { Env } from '@/lib/server/process/env';
import { takeHandover } from '@/lib/server/stream/handover';
import { createListener } from './listener';

const seal = createSeal(['a secret of this test']);
let limits: Limits;
let server: Server;
let port: number;
/** In the order in which the framework behind got the requests. */
let made: string[];
const heavyMs = 20;

const proxy = { header: 'x-person', addresses: ['127.0.0.99'] };

async function start(
  cost: { person: number; people: number; strangers: number; seconds: number },
  turns = createTurns(),
) {
  limits = createLimits({ cost });
  const entry = {
    arrivals: createArrivals({ url: null, proxy } as Pick<Env, 'proxy' | 'url'>),
    seal,
    credentials: { knows: () => false } as never,
    limits,
    turns,
    pass: async () => ({ refusal: null, nonce: '', headers: { 'content-security-policy': 'none' } }),
    streams: {
      '/stream': async (asked: Request) => {
        const handover = takeHandover(asked);
        if (handover !== null) handover.begin = () => {};
        return new Response(null);
      },
    },
  };
  const answer = async (asked: IncomingMessage, response: ServerResponse) => {
    made.push(`${asked.socket.remoteAddress} ${asked.url}`);
    const from = process.cpuUsage();
    const used = () => {
      const { user, system } = process.cpuUsage(from);
      return (user + system) / 1_000;
    };
    while (asked.url?.startsWith('/lock') === true && used() < heavyMs);
    response.end('made');
  };
  const onBug = (error: unknown) => void made.push(`bug: ${String(error)}`);
  server = createServer(createListener({ answer, onBug, entry }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
}
beforeEach(() => {
  made = [];
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}
const ask = (
  path: string,
  localAddress: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
) =>
  new Promise<Answer>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, localAddress, method, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    })
      .on('error', reject)
      .end();
  });

const plenty = { person: 60_000, people: 60_000, strangers: 60_000, seconds: 60 };
const cookieOf = async (token: string) => {
  const who = { id: `accessor-${token}`, name: token };
  const signIn = { id: 'x'.repeat(22), secret: token, who, endsAtMs: 9e12, idleEndsAtMs: 9e12 };
  return { cookie: `signalbox=${await seal.seal(signIn)}` };
};

test('while one client asks for forty pages another is next, for a page as for data', async () => {
  await start(plenty);
  const loop = Array.from({ length: 40 }, () => ask('/lock', '127.0.0.2'));
  await Promise.race(loop);
  const before = made.length;
  await Promise.all([ask('/lock', '127.0.0.3'), ask('/api/v1/session', '127.0.0.3')]);
  // One is in progress as they arrive; beyond that the two wait only for each other.
  expect(made.length - before).toBeLessThanOrEqual(5);
  await Promise.all(loop);
  expect(made).toHaveLength(42);
});

test('two people at one address have turns of their own, and one who makes up credentials has those of strangers', async () => {
  await start(plenty);
  const [ann, bob] = await Promise.all(['ann', 'bob'].map(cookieOf));
  const madeUp = (n: number) => ({
    headers: { cookie: `signalbox=made-up-${n}`, authorization: `Bearer made-up-${n}` },
  });
  const loop = [
    ...Array.from({ length: 20 }, () => ask('/lock', '127.0.0.2', { headers: ann ?? {} })),
    ...Array.from({ length: 20 }, (_, n) => ask('/lock', '127.0.0.2', madeUp(n))),
  ];
  await Promise.race(loop);
  const before = made.length;
  await ask('/lock', '127.0.0.2', { headers: bob ?? {} });
  expect(made.length - before).toBeLessThanOrEqual(5);
  await Promise.all(loop);
});

test('a loop ends at its budget by cost, is told when to come again, and takes nothing from others', async () => {
  await start({ ...plenty, strangers: 5 * heavyMs });
  const answers: Answer[] = [];
  for (let n = 0; n < 10; n += 1) answers.push(await ask('/lock', '127.0.0.2'));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(5);
  expect(answers[0]?.status).toBe(200);
  expect(refused[0]?.headers).toMatchObject({
    'retry-after': expect.stringMatching(/^([1-9]|[1-5]\d|60)$/),
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': 'none',
  });
  expect(refused[0]?.text).toContain('Too many requests');
  expect(made.length).toBe(10 - refused.length);
  expect((await ask('/lock', '127.0.0.3')).status).toBe(200);

  const asJson = await ask('/api/v1/snapshot', '127.0.0.2');
  expect(asJson).toMatchObject({ status: 429, headers: { 'content-type': 'application/problem+json' } });
  expect(JSON.parse(asJson.text)).toMatchObject({ code: 'busy', why: { code: 'too-often' } });
  // A reader of an embed is a stranger like any other.
  expect((await ask('/embed/v1/board', '127.0.0.2')).status).toBe(429);
  // Health checks, shared files, and writes, which are counted and recorded elsewhere.
  expect((await ask('/healthz', '127.0.0.2')).status).toBe(200);
  expect((await ask('/_next/static/a.js', '127.0.0.2')).status).toBe(200);
  expect((await ask('/api/v1/actions', '127.0.0.2', { method: 'POST' })).status).toBe(200);
});

test('a page that is asked for by another method costs what it costs', async () => {
  await start({ ...plenty, strangers: 3 * heavyMs });
  for (let n = 0; n < 6; n += 1) await ask('/lock', '127.0.0.2', { method: 'POST' });
  expect((await ask('/lock', '127.0.0.2', { method: 'POST' })).status).toBe(429);
  expect((await ask('/api/anything', '127.0.0.2', { method: 'POST' })).status).toBe(429);
});

test('a stream has had its turn once its head is sent, also where the thread is never idle', async () => {
  const busy = { cpuMs: () => 0, idleWatch: () => () => 0 };
  await start(plenty, createTurns({ thread: busy, now: () => 0 }));
  const stream = request({
    host: '127.0.0.1',
    port,
    path: '/stream',
    localAddress: '127.0.0.2',
    agent: false,
  });
  stream.on('error', () => {});
  await new Promise((resolve) => stream.on('response', resolve).end());
  expect((await ask('/page', '127.0.0.3')).status).toBe(200);
  stream.destroy();
});

test('the budget is the person’s own, wherever they ask from, and that of a stranger is not theirs', async () => {
  await start({ ...plenty, person: 3 * heavyMs, strangers: 3 * heavyMs });
  const ann = { headers: await cookieOf('ann') };
  const bob = { headers: await cookieOf('bob') };
  for (let n = 0; n < 6; n += 1) await ask('/lock', '127.0.0.2', ann);
  expect((await ask('/lock', '127.0.0.3', ann)).status).toBe(429);
  expect((await ask('/lock', '127.0.0.2', bob)).status).toBe(200);
  for (let n = 0; n < 6; n += 1) await ask('/lock', '127.0.0.2');
  expect((await ask('/lock', '127.0.0.2')).status).toBe(429);
  expect((await ask('/lock', '127.0.0.2', bob)).status).toBe(200);
});

test('who leaves while they wait is not drawn for', async () => {
  await start(plenty);
  const loop = Array.from({ length: 10 }, () => ask('/lock', '127.0.0.2'));
  const left = request({
    host: '127.0.0.1',
    port,
    path: '/lock?left',
    localAddress: '127.0.0.2',
    agent: false,
  });
  left.on('error', () => {});
  left.end();
  await Promise.race(loop);
  left.destroy();
  await Promise.all(loop);
  await ask('/lock?last', '127.0.0.2');
  expect(made.filter((one) => one.includes('left'))).toEqual([]);
});
