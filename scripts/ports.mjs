import { createServer } from 'node:net';

/**
 * Below every usual range of ephemeral ports (Linux begins at 32768, macOS at 49152). So no outgoing connection can
 * take a port between the check that it is free and the server's bind.
 */
const range = { first: 21_000, last: 31_900, block: 10 };

/**
 * @typedef {object} PortBlock
 * @property {number[]} ports free when claimed, and left alone by every other claim until `release`
 * @property {() => void} release
 */

/**
 * Listens on a port. Resolves to the server, or to `null` when the port is taken.
 * @param {number} port 0 for any
 * @param {string} host
 * @returns {Promise<import('node:net').Server | null>}
 */
function listen(port, host) {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) => {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code === 'EADDRINUSE' || code === 'EACCES') resolve(null);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });
}

/**
 * True when nothing listens on the port.
 * @param {number} port 1 to 65535
 * @param {string} [host]
 * @returns {Promise<boolean>}
 */
export async function isFree(port, host = '127.0.0.1') {
  const server = await listen(port, host);
  if (server === null) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}

/**
 * The first free port from `first` on.
 * @param {number} first
 * @param {string} host
 * @returns {Promise<number | null>} null when the next hundred are all taken
 */
export async function nextFree(first, host) {
  for (let port = first; port < Math.min(first + 100, 65_536); port += 1)
    if (await isFree(port, host)) return port;
  return null;
}

/**
 * Claims a block of loopback ports. The claim is a listener on the block's first port, so it is atomic between
 * processes and ends with its process, however that dies.
 * @param {number} count 1 to 9
 * @param {{ random?: () => number, prefer?: number[] }} [options] `prefer`: the ports of an earlier claim, taken
 *   again when they are free
 * @returns {Promise<PortBlock>}
 */
export async function claimPorts(count, { random = Math.random, prefer = [] } = {}) {
  const blocks = Math.floor((range.last - range.first) / range.block);
  const last = Math.floor(((prefer[0] ?? -1) - range.first) / range.block);
  const start = last >= 0 && last < blocks ? last : Math.floor(random() * blocks);
  for (let step = 0; step < blocks; step += 1) {
    const base = range.first + ((start + step) % blocks) * range.block;
    const claim = await listen(base, '127.0.0.1');
    if (claim === null) continue;
    const ports = Array.from({ length: count }, (_, i) => base + 1 + i);
    const free = await Promise.all(ports.map((port) => isFree(port)));
    if (free.every(Boolean)) {
      claim.unref();
      return { ports, release: () => void claim.close() };
    }
    await new Promise((resolve) => claim.close(resolve));
  }
  throw new Error(`No free block of ports between ${range.first} and ${range.last}.`);
}
