/**
 * The least that a server of events can be, to be compared with: `node:http`, and every reader gets what is posted. It sends
 * the same pings at the same times as ours.
 */
import { createServer } from 'node:http';

/** @type {Set<import('node:http').ServerResponse>} */
const readers = new Set();
let beginning = '';

/** @param {import('node:http').IncomingMessage} request */
async function bodyOf(request) {
  /** @type {Buffer[]} */
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}

const server = createServer(async (request, response) => {
  if (request.method === 'POST') {
    const body = await bodyOf(request);
    if (request.url === '/beginning') beginning = body.toString();
    else for (const reader of readers) reader.write(body);
    response.end();
    return;
  }
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.write(beginning);
  readers.add(response);
  response.on('close', () => readers.delete(response));
});

const ping = Buffer.from('event: ping\ndata: {}\n\n');
setInterval(() => {
  for (const reader of readers) reader.write(ping);
}, 3_000);

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
process.on('disconnect', () => process.exit(0));
