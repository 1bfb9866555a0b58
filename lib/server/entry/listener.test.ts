import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createArrivals } from '@/lib/server/http/arrival';
import { createLimits } from '@/lib/server/http/limits';
import { createTurns } from '@/lib/server/http/turns';
import { createSeal } from '@/lib/server/identity/seal';
import type { Env } from '@/lib/server/process/env';
import { createListener, type ListenerOptions } from './listener';

let server: Server;
/** In the order in which Next, or the route of the stream, got them. */
let got: string[];
let bugs: unknown[];
let answer: ListenerOptions['answer'];
let stream: (asked: Request) => Promise<Response>;

const entry: ListenerOptions['entry'] = {
  arrivals: createArrivals({ url: null, proxy: { header: null, addresses: [] } } as Pick<
    Env,
    'proxy' | 'url'
  >),
  seal: createSeal(['a secret of this test']),
  credentials: { knows: () => false } as never,
  limits: createLimits(),
  turns: createTurns(),
  pass: async () => ({ refusal: null, nonce: '', headers: { 'content-security-policy': 'none' } }),
  streams: { '/api/v1/events': (asked) => stream(asked) },
};

async function listen(options: ListenerOptions['entry']): Promise<void> {
  server = createServer(
    createListener({
      answer: (request, response) => answer(request, response),
      onBug: (error) => bugs.push(error),
      entry: options,
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}
beforeEach(() => {
  [got, bugs] = [[], []];
  answer = async ({ method, url }: IncomingMessage, response: ServerResponse) => {
    got.push(`${method} ${url}`);
    response.end('from behind');
  };
  stream = async ({ url }) => {
    got.push(`stream ${new URL(url).pathname}`);
    return new Response('a stream');
  };
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** The whole answer to this request line. */
const ask = (line: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (part) => {
      text += part;
    });
    socket.on('end', () => resolve(text)).on('error', reject);
    socket.write(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });

test('a GET of a stream is answered here, and whatever is none goes to Next, once', async () => {
  await listen(entry);
  for (const path of ['/api/v1/events', '/api/v1//events/?since=x', 'http://elsewhere/api/v1/events'])
    expect(await ask(`GET ${path}`)).toContain('a stream');
  expect(got.splice(0)).toEqual(Array(3).fill('stream /api/v1/events'));
  for (const line of [
    'POST /api/v1/events',
    'HEAD /api/v1/events',
    'GET /api/v1/%65vents',
    'GET /',
    'GET /a/',
  ])
    await ask(line);
  expect(got).toEqual([
    'POST /api/v1/events',
    'HEAD /api/v1/events',
    'GET /api/v1/%65vents',
    'GET /',
    'GET /a',
  ]);
});

test('in development Next gets everything, streams too, by their one spelling', async () => {
  await listen(null);
  for (const line of ['GET /api/v1/events', 'TRACE //a/%ff/']) await ask(line);
  expect(got).toEqual(['GET /api/v1/events', 'X-TRACE /a/%25ff']);
});

test('a mistake ends its own request with 500 and a closed connection, is told, and the server goes on', async () => {
  await listen(entry);
  const mistake = () => Promise.reject(new Error('a mistake'));
  const [answers, streams] = [answer, stream];
  [answer, stream] = [mistake, mistake];
  for (const path of ['/', '/api/v1/events']) expect(await ask(`GET ${path}`)).toMatch(/^HTTP\/1\.1 500 /);
  expect(bugs.map(String)).toEqual(Array(2).fill('Error: a mistake'));
  [answer, stream] = [answers, streams];
  expect(await ask('GET /')).toContain('from behind');
});

test('a mistake in the middle of an answer breaks the connection, so that half is not taken for the whole', async () => {
  await listen(entry);
  answer = async (_request, response) => {
    response.writeHead(200, { 'content-length': 10 }).write('half');
    throw new Error('a mistake');
  };
  await expect(
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`).then((response) => response.text()),
  ).rejects.toThrow();
  expect(bugs).toHaveLength(1);
});
