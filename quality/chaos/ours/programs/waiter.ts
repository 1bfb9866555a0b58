/** A server that takes a while to write everything at SIGTERM. Prints its port. */
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { endInOrder } from '@/lib/server/process/shutdown';

const server = createServer();
endInOrder({
  server,
  close: async () => {
    await delay(1_000);
    console.log('closed');
  },
  closeLast: async () => console.log('left'),
  process,
});
server.on('request', (request, response) => {
  console.log(request.url);
  if (request.url === '/stream') response.writeHead(200).flushHeaders();
  else if (request.url === '/slow') setTimeout(() => response.end('here'), 100);
  else response.end('here');
});
// Keeps idle connections open meanwhile.
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : address);
});
