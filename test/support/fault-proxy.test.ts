/** The proxy itself: after any order, it can be closed. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type FaultProxy, startFaultProxy } from './fault-proxy';
import { until } from './until';

/** A server that keeps its input. */
async function listen(): Promise<string> {
  const taken = new Set<Socket>();
  const server = createServer((socket) => void taken.add(socket.on('error', () => {})));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of taken) socket.destroy();
    server.close();
  });
  const at = server.address();
  return typeof at === 'object' && at !== null ? `127.0.0.1:${at.port}` : '';
}

const talk = async (proxy: FaultProxy, words: string) => {
  const [host, port] = proxy.address.split(':');
  const socket = connect({ host, port: Number(port) });
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (words !== '') socket.write(words);
  return socket;
};

test.each<[string, string, (proxy: FaultProxy) => void]>([
  [
    'a connection that it answers itself and that says nothing',
    '',
    (proxy) => proxy.answer({ status: 503, body: '' }),
  ],
  ['bytes that it holds back from a client that is gone', 'GET / HTTP/1.1\r\n\r\n', (proxy) => proxy.stall()],
])('it closes in spite of %s', async (_, words, wrong) => {
  const proxy = await startFaultProxy(await listen());
  wrong(proxy);
  const socket = await talk(proxy, words);
  await until(() => words === '' || proxy.connections === 1, { what: 'the connection to be taken' });
  socket.end();
  await once(socket, 'finish');
  await proxy.close();
  socket.destroy();
});

/** A server that echoes its input. */
async function echo(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const at = server.address();
  return typeof at === 'object' && at !== null ? `127.0.0.1:${at.port}` : '';
}

const heardBy = (socket: Socket) => {
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  return () => text;
};

test('over a network that loses packets all of it arrives, in order, and later', async () => {
  const proxy = await startFaultProxy(await echo());
  const lots = Array.from({ length: 60 }, (_, n) => `${n};`);
  let turn = 0;
  // For each piece: how late, that it is lost, that it is not lost again.
  proxy.lose({ share: 0.3, delayMs: [5, 5], chance: () => (turn++ % 3 === 1 ? 0.1 : 0.9) });
  const socket = await talk(proxy, '');
  const heard = heardBy(socket);
  const beganMs = performance.now();
  for (const one of lots) {
    socket.write(one);
    await new Promise((done) => setImmediate(done));
  }
  await until(() => heard().length >= lots.join('').length, { what: 'all of it' });
  expect(heard()).toBe(lots.join(''));
  expect(performance.now() - beganMs).toBeGreaterThan(200);
  socket.destroy();
  await proxy.close();
});

test('a proxy that buffers passes nothing on before its buffer is full or the answer ends', async () => {
  const proxy = await startFaultProxy(await echo());
  proxy.lump(10);
  const socket = await talk(proxy, '12345');
  const heard = heardBy(socket);
  await until(() => proxy.bytesPassed === 5, { what: 'the question' });
  expect(heard()).toBe('');
  socket.write('67890');
  await until(() => heard() === '1234567890', { what: 'the lump' });
  socket.end('abc');
  await until(() => heard() === '1234567890abc', { what: 'the rest' });
  socket.destroy();
  await proxy.close();
});

test('a fault on connections from one address touches no other', async () => {
  const proxy = await startFaultProxy(await echo(), { from: '127.0.0.9' });
  proxy.stall();
  const socket = await talk(proxy, 'heard');
  const heard = heardBy(socket);
  await until(() => heard() === 'heard', { what: 'the spared one' });
  const [host, port] = proxy.address.split(':');
  const other = connect({ host, port: Number(port), localAddress: '127.0.0.9' });
  const nothing = heardBy(other);
  other.write('held');
  await until(() => proxy.connections === 2, { what: 'the other one' });
  socket.write(' again');
  await until(() => heard() === 'heard again', { what: 'the spared one, again' });
  expect(nothing()).toBe('');
  for (const one of [socket, other]) one.destroy();
  await proxy.close();
});
