/** A server that ends as Next does at SIGTERM: once its last connection is closed. Prints its port. */
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { endInOrder } from '@/lib/server/process/shutdown';

endInOrder(async () => {
  await delay(100);
  console.log('closed');
}, process);
const server = createServer((request, response) => {
  if (request.url === '/stream') response.writeHead(200).flushHeaders();
  else response.end('here');
});
// So that no idle connection closes meanwhile.
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : address);
});
process.on('SIGTERM', () => server.close(() => process.exit(143)));
