import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Hub } from '@/lib/server/live/hub';
import { createToldHub, type ToldHub } from '@/test/support/told-hub';
import { until } from '@/test/support/until';
import { answerStream } from './handover';
import { createStreams, type Streams } from './sse';

let hub: Hub;
let streams: Streams;
let say: ToldHub['tellSessions'];
let server: Server;
let port: number;
const sockets = new Set<Socket>();
/** The requests that the route got, and its answer. */
let asked: WeakRef<Request>[];
let route: (request: Request) => Promise<Response>;
/** Node's requests whose answers, or heads of streams, are sent. */
let headSent: IncomingMessage[];
let bugs: unknown[];

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
const policy = { 'content-security-policy': "default-src 'none'", 'x-frame-options': 'DENY' };
beforeEach(async () => {
  asked = [];
  headSent = [];
  bugs = [];
  route = async (request) => stream(request);
  ({ hub, tellSessions: say } = createToldHub());
  streams = createStreams({ hub, max: 2, onBug: (error) => bugs.push(error) });
  server = createServer((request, response) => {
    const { host = '' } = request.headers;
    const way = {
      pass: async () => ({
        refusal: host === 'elsewhere' ? new Response('not here', { status: 421 }) : null,
        headers: policy,
      }),
      route: (one: Request) => {
        asked.push(new WeakRef(one));
        return route(one);
      },
    };
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
      name,
      `${value}`,
    ]);
    answerStream({ request, response, asked: new Request(`http://x${request.url}`, { headers }) }, way).then(
      () => headSent.push(request),
      (error) => {
        bugs.push(error);
        response.destroy();
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
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
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;
const shown = (viewer: { text(): string }, part: string) =>
  until(() => viewer.text().includes(part), { what: `${part} to be seen` });

test('a stream goes into the response of Node, unframed, and what was made for the request is let go', async () => {
  say(['a']);
  const viewer = ask('Cookie: secret=1\r\n');
  await shown(viewer, 'event: snapshot');
  say(['a', 'b']);
  await shown(viewer, 'event: patch');
  const [head = '', body = ''] = viewer.text().toLowerCase().split('\r\n\r\n');
  expect(head).toMatch(/^http\/1\.1 200 /);
  expect(head).not.toContain('transfer-encoding');
  expect(body).toMatch(/^retry: \d+\n\nevent: snapshot\n/);
  expect(head).toContain('content-type: text/event-stream');
  for (const [name, value] of Object.entries(policy))
    expect(head).toContain(`${name}: ${value}`.toLowerCase());
  // The head alone is waited for, not the end of the stream.
  const [last] = headSent;
  expect(JSON.stringify([last?.headers, last?.rawHeaders])).not.toContain('secret');
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
  expect([asked.length, streams.count]).toEqual([0, 0]);
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
  gc();
  const before = process.memoryUsage().arrayBuffers;
  // Far more than a kernel and a queue hold.
  for (let n = 0; n < 200; n += 1) {
    say(['a'], String(n).repeat(60_000));
    await new Promise((resolve) => setImmediate(resolve));
  }
  // What is kept, and not what is let go and not collected yet.
  gc();
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
