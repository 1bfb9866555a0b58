import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { World } from '@/lib/domain/model';
import type { ProviderListener } from '@/lib/domain/provider';
import { until } from '@/test/support/until';
import { observeResponses } from './handover';
import { createHub, type Hub } from './hub';
import { createStreams, type Streams } from './sse';

let hub: Hub;
let streams: Streams;
let say: (ids: readonly string[], pad?: string) => void;
let server: Server;
let port: number;
/** What hangs on each request when its route has answered, as a framework leaves it. */
let left: WeakRef<object>[];
const sockets = new Set<Socket>();
/** Whether the route takes the response; otherwise it never answers. */
let takes: boolean;
let last: ServerResponse;
const responsesWaiting = () =>
  (globalThis as unknown as Record<symbol, Map<string, unknown>>)[Symbol.for('signalbox.responses')]?.size;

/** Does with a route's answer what Next does: head and no body, with things of its own hung on request and response. */
function answerAsNext(request: IncomingMessage, response: ServerResponse): void {
  const own = { of: request.url };
  left.push(new WeakRef(own));
  (request as unknown as Record<symbol, unknown>)[Symbol.for('framework')] = own;
  request.on('end', () => own.of);
  response.on('close', () => own.of);
  last = response;
  if (!takes) return;
  const { write } = response;
  response.write = ((...rest: Parameters<typeof write>) =>
    own && write.apply(response, rest)) as typeof write;
  const answer = streams.answer(
    { filter: null, lastEventId: null, signal: new AbortController().signal },
    new Headers(request.headers as Record<string, string>),
  );
  response.statusCode = answer.status;
  answer.headers.forEach((value, name) => {
    response.setHeader(name, value);
  });
  if (answer.body === null) response.end();
  else void answer.text().then((text) => response.end(text));
}

beforeEach(async () => {
  observeResponses();
  left = [];
  takes = true;
  let listener: ProviderListener | null = null;
  hub = createHub({
    provider: {
      id: 'test',
      watch: (given, signal) => {
        listener = given;
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    },
    now: () => 0,
    instance: 'one',
    findingsOf: () => [],
    onBug: () => {},
  });
  streams = createStreams({ hub, max: 2 });
  say = (ids, pad = '') => {
    const sessions = ids.map((id) => ({ id, name: pad, holds: [], wants: [], checks: [] }));
    listener?.world({ locks: [], semaphores: [], sessions } as unknown as World, 1);
  };
  server = createServer(answerAsNext);
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

function ask(headers = '') {
  const socket = connect(port, '127.0.0.1');
  sockets.add(socket);
  let text = '';
  socket.setEncoding('utf8').on('data', (part) => {
    text += part;
  });
  socket.write(`GET /api/v1/events HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
  return { socket, text: () => text };
}
const shown = (viewer: { text(): string }, part: string) =>
  until(() => viewer.text().includes(part), { what: `${part} to be seen` });

test('a stream goes into the response of Node, unframed, and what was made for the request is let go', async () => {
  say(['a']);
  const viewer = ask();
  await shown(viewer, 'event: snapshot');
  say(['a', 'b']);
  await shown(viewer, 'event: patch');
  const [head = '', body = ''] = viewer.text().split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  expect(head.toLowerCase()).not.toContain('transfer-encoding');
  expect(body).toMatch(/^retry: \d+\n\nevent: snapshot\n/);
  expect(head.toLowerCase()).toContain('content-type: text/event-stream');
  expect(last.getHeaderNames()).toEqual([]);
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  await until(
    () => {
      gc();
      return left[0]?.deref() === undefined;
    },
    { what: 'the request to be let go', everyMs: 100 },
  );
  say(['c']);
  await shown(viewer, '"id":"c"');
});

test('who comes when all places are taken is told so and when to ask again, and a place that is left is free', async () => {
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

test('the number under which a response waits is ours alone: a header of that name opens nothing', async () => {
  say(['a']);
  const viewer = ask('x-signalbox-response: 00000000000000000000000000000000\r\n');
  await shown(viewer, 'event: snapshot');
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
  streams = createStreams({ hub, max: 20 });
  const viewer = ask();
  for (let n = 0; n < 5; n += 1) viewer.socket.write('GET /api/v1/events HTTP/1.1\r\nHost: x\r\n\r\n');
  await shown(viewer, 'event: snapshot');
  await until(() => left.length === 6, { what: 'all to be asked' });
  expect(streams.count).toBe(1);
  viewer.socket.resetAndDestroy();
  await until(() => streams.count === 0 && hub.viewers === 0, { what: 'the place to be free' });
  expect(responsesWaiting()).toBe(0);
});

test('a response that nobody takes is forgotten when its connection breaks, also one behind another', async () => {
  takes = false;
  const viewer = ask();
  viewer.socket.write('GET /api/v1/events HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
  await until(() => responsesWaiting() === 4, { what: 'all to wait' });
  viewer.socket.resetAndDestroy();
  await until(() => responsesWaiting() === 0, { what: 'all to be forgotten' });
});
