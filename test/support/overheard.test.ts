/** The proxy's notes of writes, by which the faults are judged. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { type FaultProxy, startFaultProxy } from './fault-proxy';
import { until } from './until';

/** A server that answers with the status that is asked for: `PUT /409`. */
async function raise(): Promise<FaultProxy> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(Number(request.url?.slice(1, 4))).end('said'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const proxy = await startFaultProxy(`127.0.0.1:${port}`);
  onTestFinished(async () => {
    await proxy.close();
    server.closeAllConnections();
    server.close();
  });
  return proxy;
}

const put = (proxy: FaultProxy, path: string, body = 'asked') =>
  fetch(`http://${proxy.address}${path}`, {
    method: 'PUT',
    body,
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(30_000),
  }).then(
    (response) => response.status,
    () => null,
  );
const noted = (proxy: FaultProxy) => proxy.calls.map(({ line, status, told }) => ({ line, status, told }));

test('a write is noted with its body and with what the server said', async () => {
  const proxy = await raise();
  expect(await put(proxy, '/409', '{"Key":"a"}')).toBe(409);
  expect(noted(proxy)).toEqual([{ line: 'PUT /409', status: 409, told: true }]);
  await until(() => proxy.calls[0]?.text.includes('{"Key":"a"}'), { what: 'the body' });
});

test('a write that is answered by the stand-in is noted, and is no write that was passed on', async () => {
  const proxy = await raise();
  proxy.answer({ status: 503, body: '' });
  expect(await put(proxy, '/200')).toBe(503);
  expect(noted(proxy)).toEqual([{ line: 'PUT /200', status: 503, told: true }]);
  expect(proxy.writes).toEqual([]);
});

test('a held-back write is noted, and so is its missing answer', async () => {
  const proxy = await raise();
  proxy.stall();
  const asking = put(proxy, '/200');
  await until(() => proxy.calls.length === 1, { what: 'the write' });
  expect(proxy.writes).toEqual([]);
  proxy.reset();
  expect(await asking).toBeNull();
  expect(noted(proxy)).toEqual([{ line: 'PUT /200', status: null, told: false }]);
});

test('a spoiled answer counts as none', async () => {
  const proxy = await raise();
  proxy.garble((piece) => piece);
  await put(proxy, '/200');
  expect(noted(proxy)).toEqual([{ line: 'PUT /200', status: 200, told: false }]);
});

test('a read is not noted', async () => {
  const proxy = await raise();
  await fetch(`http://${proxy.address}/200`);
  expect(noted(proxy)).toEqual([]);
});
