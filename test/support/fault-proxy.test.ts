/** The proxy itself: whatever it was told to do, it can be closed. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished, test } from 'vitest';
import { type FaultProxy, startFaultProxy } from './fault-proxy';
import { until } from './until';

/** A server that keeps what it is told. */
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
