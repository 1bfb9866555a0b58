import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lingerMs, ResponseOutlet } from './stream-writer';

const server = createServer();
let viewer: Socket;
let response: ServerResponse;
let outlet: ResponseOutlet;
const turn = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const asked = new Promise<ServerResponse>((resolve) =>
    server.once('request', (_request, answer) => resolve(answer)),
  );
  viewer = connect((server.address() as AddressInfo).port, '127.0.0.1');
  viewer.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  response = await asked;
  // As in handover.ts.
  response.useChunkedEncodingByDefault = false;
  response.writeHead(200, { connection: 'close' });
  response.flushHeaders();
  outlet = new ResponseOutlet(response);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  vi.useRealTimers();
  viewer.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test('a viewer that reads nothing does not keep its connection beyond the end', async () => {
  viewer.pause();
  outlet.write(Buffer.alloc(20_000_000));
  outlet.end();
  await turn();
  vi.advanceTimersByTime(lingerMs - 1);
  expect(response.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(response.destroyed).toBe(true);
});

test('one that reads gets all that waits for it, and nothing is left to happen later', async () => {
  let bytes = 0;
  viewer.on('data', (part) => {
    bytes += part.length;
  });
  const ended = new Promise((resolve) => viewer.on('end', resolve));
  const closed = new Promise((resolve) => response.on('close', resolve));
  outlet.write(Buffer.alloc(5_000_000));
  outlet.end();
  await ended;
  viewer.end();
  await closed;
  expect(bytes).toBeGreaterThan(5_000_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('an event is on its way before the next viewer gets theirs', () => {
  outlet.write(Buffer.from('data: 1\n\n'));
  expect(outlet.waiting).toBe(0);
});

test('a viewer that closes its side is ended, and an event that comes meanwhile breaks nothing', async () => {
  const leave = vi.fn();
  const problems: unknown[] = [];
  response.socket?.on('error', (error) => problems.push(error));
  outlet.heed({ leave, drained: () => {} });
  const closed = new Promise((resolve) => response.on('close', resolve));
  const ended = new Promise((resolve) => response.socket?.once('end', resolve));
  viewer.resume();
  viewer.end();
  await ended;
  outlet.write(Buffer.from('data: 1\n\n'));
  await closed;
  outlet.write(Buffer.from('data: 2\n\n'));
  await turn();
  expect(problems).toEqual([]);
  expect(leave).toHaveBeenCalledTimes(1);
});
