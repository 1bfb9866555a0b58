import { channel } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { handedOver } from '@/lib/server/http/before';
import type { Hub } from '@/lib/server/live/hub';
import { createToldHub, type ToldHub } from '@/test/support/told-hub';
import { until } from '@/test/support/until';
import { answerStreams } from './handover';
import { createStreams, type Streams } from './sse';

let hub: Hub;
let streams: Streams;
let say: ToldHub['tellSessions'];
let server: Server;
let port: number;
let stop: () => void;
const sockets = new Set<Socket>();
/** The requests that the route got, and its answer. */
let asked: WeakRef<Request>[];
let route: (request: Request) => Promise<Response>;
/** The requests that reached the framework behind. */
let passedOn: string[];
let bugs: unknown[];
let last: IncomingMessage;

const stream = (request: Request) =>
  streams.answer(
    {
      asker: { identity: { kind: 'anonymous' }, address: null },
      filter: null,
      lastEventId: null,
      signal: request.signal,
    },
    request,
  );
const remember = (message: unknown) => {
  last = (message as { request: IncomingMessage }).request;
};
const policy = { 'content-security-policy': "default-src 'none'", 'x-frame-options': 'DENY' };
beforeEach(async () => {
  asked = [];
  passedOn = [];
  bugs = [];
  route = async (request) => stream(request);
  stop = answerStreams({
    pass: async ({ headers }) => ({
      refusal: headers.get('host') === 'elsewhere' ? new Response('not here', { status: 421 }) : null,
      nonce: '',
      headers: policy,
    }),
    routes: {
      '/api/v1/events': (request) => {
        asked.push(new WeakRef(request));
        return route(request);
      },
    },
    onBug: (error) => bugs.push(error),
  });
  ({ hub, tellSessions: say } = createToldHub());
  streams = createStreams({ hub, max: 2, onBug: (error) => bugs.push(error) });
  server = createServer((request, response) => {
    passedOn.push(`${request.method} ${request.url}`);
    response.end('from behind');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  stop();
  streams.close();
  await hub.close();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await new Promise((resolve) => server.close(resolve));
});

function ask(headers = '', line = 'GET /api/v1/events', host = 'x', version = '1.1') {
  const socket = connect(port, '127.0.0.1');
  sockets.add(socket);
  let text = '';
  socket.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  socket.write(`${line} HTTP/${version}\r\nHost: ${host}\r\n${headers}\r\n`);
  return { socket, text: () => text };
}
const shown = (viewer: { text(): string }, part: string) =>
  until(() => viewer.text().includes(part), { what: `${part} to be seen` });

test('whoever waits for the end of a response is told that a stream goes on from its head', async () => {
  say(['a']);
  let headSent: boolean | null = null;
  const listen = (message: unknown) => {
    const { response } = message as { response: ServerResponse };
    response.once(handedOver, () => {
      headSent = response.headersSent && !response.writableEnded;
    });
  };
  channel('http.server.request.start').subscribe(listen);
  await shown(ask(), 'event: snapshot');
  channel('http.server.request.start').unsubscribe(listen);
  expect(headSent).toBe(true);
});

test('a stream goes into the response of Node, unframed, and what was made for the request is let go', async () => {
  say(['a']);
  channel('http.server.request.start').subscribe(remember);
  const viewer = ask('Cookie: secret=1\r\n');
  await shown(viewer, 'event: snapshot');
  channel('http.server.request.start').unsubscribe(remember);
  say(['a', 'b']);
  await shown(viewer, 'event: patch');
  const [head = '', body = ''] = viewer.text().toLowerCase().split('\r\n\r\n');
  expect(head).toMatch(/^http\/1\.1 200 /);
  expect(head).not.toContain('transfer-encoding');
  expect(body).toMatch(/^retry: \d+\n\nevent: snapshot\n/);
  expect(head).toContain('content-type: text/event-stream');
  for (const [name, value] of Object.entries(policy))
    expect(head).toContain(`${name}: ${value}`.toLowerCase());
  expect(passedOn).toEqual([]);
  expect(JSON.stringify([last.headers, last.rawHeaders])).not.toContain('secret');
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  await until(
    () => {
      gc();
      return asked[0]?.deref() === undefined;
    },
    { what: 'the request to be let go', everyMs: 100 },
  );
  say(['c']);
  await shown(viewer, '"id":"c"');
});

test('a refused request does not reach the route, and its answer carries the headers of every answer', async () => {
  say(['a']);
  const viewer = ask('', 'GET /api/v1/events?since=x', 'elsewhere');
  await shown(viewer, 'not here');
  expect(viewer.text()).toMatch(/^HTTP\/1\.1 421 /);
  expect(viewer.text().toLowerCase()).toContain('x-frame-options: deny');
  expect([asked.length, passedOn.length, streams.count]).toEqual([0, 0, 0]);
});

test('a client of HTTP/1.0, which knows no chunks, is refused and served without them', async () => {
  say(['a']);
  const refused = ask('', 'GET /api/v1/events', 'elsewhere', '1.0');
  await until(() => refused.socket.readableEnded, { what: 'the refusal' });
  expect(refused.text().toLowerCase()).not.toContain('transfer-encoding');
  expect(refused.text()).toMatch(/\r\n\r\nnot here$/);
  const viewer = ask('', 'GET /api/v1/events', 'x', '1.0');
  await shown(viewer, '\r\n\r\nretry: ');
  expect(viewer.text().toLowerCase()).not.toContain('transfer-encoding');
});

test('whatever is no GET of such an address goes to the server behind, once', async () => {
  const lines = [
    'POST /api/v1/events',
    'HEAD /api/v1/events',
    'GET /api/v1/events/',
    'GET /api/v1/%65vents',
    'GET /',
  ];
  for (const line of lines) {
    const other = ask('Connection: close\r\n', line);
    await until(() => other.socket.readableEnded, { what: `the answer to ${line}` });
  }
  expect(passedOn).toEqual(lines);
  expect(asked).toEqual([]);
});

test('a route that did not take the response is carried all the same, and its viewer is heard to leave', async () => {
  say(['a']);
  route = async ({ signal }) => stream(new Request('http://x/', { signal }));
  const viewer = ask();
  await shown(viewer, 'event: snapshot');
  say(['b']);
  await shown(viewer, '"id":"b"');
  viewer.socket.resetAndDestroy();
  await until(() => streams.count === 0 && hub.viewers === 0, { what: 'the place to be free' });
  expect(bugs).toEqual([]);
});

test('a mistake of a route ends the connection and is told, and the server goes on', async () => {
  say(['a']);
  route = () => Promise.reject(new Error('a mistake'));
  const viewer = ask();
  await new Promise((resolve) => viewer.socket.once('close', resolve));
  expect(String(bugs)).toContain('a mistake');
  route = async (request) => stream(request);
  await shown(ask(), 'event: snapshot');
});

test('a viewer that leaves while the route decides takes no place', async () => {
  say(['a']);
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  let answered = 0;
  route = async (request) => {
    await held;
    answered += 1;
    return stream(request);
  };
  const viewer = ask();
  await until(() => asked.length === 1, { what: 'the route to be asked' });
  viewer.socket.resetAndDestroy();
  await until(
    () => new Promise<boolean>((resolve) => server.getConnections((_, count) => resolve(count === 0))),
    { what: 'the connection to be gone' },
  );
  go();
  await until(() => answered === 1, { what: 'the route to answer' });
  expect([streams.count, hub.viewers]).toEqual([0, 0]);
  expect(bugs).toEqual([]);
});

test('the departure of a client with an unread body is noticed', async () => {
  say(['a']);
  const viewer = ask('Content-Length: 1000000\r\n');
  await shown(viewer, 'event: snapshot');
  viewer.socket.write(Buffer.alloc(400_000), () => viewer.socket.destroy());
  await until(() => streams.count === 0 && hub.viewers === 0, { what: 'the place to be free' });
});

test('a viewer without a place is refused with the time to return, and a freed place is free', async () => {
  say(['a']);
  const first = ask();
  const second = ask();
  await shown(first, 'event: snapshot');
  await shown(second, 'event: snapshot');
  const refused = ask();
  await shown(refused, 'too-many-pages');
  expect(refused.text()).toMatch(/^HTTP\/1\.1 503 /);
  expect(refused.text().toLowerCase()).toContain('retry-after: 10');
  expect(refused.text().toLowerCase()).toContain('content-type: application/problem+json');
  first.socket.resetAndDestroy();
  await until(() => streams.count === 1 && hub.viewers === 1, { what: 'the place to be free' });
  await shown(ask(), 'event: snapshot');
});

test('a viewer that reads nothing has a bounded queue, and what it missed comes as one snapshot', async () => {
  say(['a']);
  const viewer = ask();
  await shown(viewer, 'event: snapshot');
  viewer.socket.pause();
  const before = process.memoryUsage().arrayBuffers;
  // Far more than a kernel and a queue hold.
  for (let n = 0; n < 200; n += 1) {
    say(['a'], String(n).repeat(60_000));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(24_000_000);
  say(['the-last']);
  const patches = () => viewer.text().split('event: patch').length - 1;
  viewer.socket.resume();
  await shown(viewer, 'the-last');
  expect(patches()).toBeLessThan(200);
  expect(viewer.text().split('event: snapshot').length - 1).toBe(2);
});

test('when the hub closes, the connection ends', async () => {
  say(['a']);
  const viewer = ask();
  await shown(viewer, 'event: snapshot');
  const ended = new Promise((resolve) => viewer.socket.once('close', resolve));
  await hub.close();
  await ended;
  expect(streams.count).toBe(0);
});

test('requests that follow a stream on its connection hold no place, and nothing of them stays when it breaks', async () => {
  say(['a']);
  streams.close();
  streams = createStreams({ hub, max: 20, onBug: (error) => bugs.push(error) });
  const viewer = ask();
  for (let n = 0; n < 5; n += 1) viewer.socket.write('GET /api/v1/events HTTP/1.1\r\nHost: x\r\n\r\n');
  await shown(viewer, 'event: snapshot');
  await until(() => asked.length === 6, { what: 'all to be asked' });
  expect(streams.count).toBe(1);
  viewer.socket.resetAndDestroy();
  await until(() => streams.count === 0 && hub.viewers === 0, { what: 'the place to be free' });
});
