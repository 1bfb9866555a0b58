/**
 * The smallest gzip event server, for comparison: `node:http`, and every reader gets each posted event, compressed
 * once. It has no state for readers and asks for no token. Its pings come at the same times as ours.
 */
import { createServer } from 'node:http';
import { constants, deflateRawSync } from 'node:zlib';

/** @type {Set<import('node:http').ServerResponse>} */
const readers = new Set();
/** The gzip header, before the first block (RFC 1952, 2.3). */
const head = Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
const packed = (/** @type {Buffer} */ bytes) =>
  deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
let beginning = head;

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
    if (request.url === '/beginning') beginning = Buffer.concat([head, packed(body)]);
    else {
      const event = packed(body);
      for (const reader of readers) reader.write(event);
    }
    response.end();
    return;
  }
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'content-encoding': 'gzip',
    'cache-control': 'no-cache',
  });
  response.write(beginning);
  readers.add(response);
  response.on('close', () => readers.delete(response));
});

const ping = packed(Buffer.from('event: ping\ndata: {}\n\n'));
setInterval(() => {
  for (const reader of readers) reader.write(ping);
}, 3_000);

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
process.on('disconnect', () => process.exit(0));
