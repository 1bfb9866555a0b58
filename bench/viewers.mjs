/**
 * Many readers of event streams, in a process of their own and on bare sockets, so that they cost the server's process nothing
 * and the machine little. Told by messages: `open` some, `watch` for a text, which each of them will read once.
 */
import { connect } from 'node:net';

/** How many connect at a time: as many as a server accepts without a queue. */
const together = 40;
const tailMax = 64;

/** @typedef {{ socket: import('node:net').Socket, tail: Buffer, seen: number }} Viewer */
/** @type {Map<string, Viewer[]>} */
const groups = new Map();
/** @type {{ group: string, mark: Buffer, event: number, left: number, firstNs: bigint | null } | null} */
let watched = null;

/** @param {unknown} message */
const say = (message) => process.send?.(message);

/**
 * @param {Viewer} viewer
 * @param {string} group
 * @param {Buffer} part
 */
function look(viewer, group, part) {
  if (watched === null || watched.group !== group || viewer.seen === watched.event) return;
  let found = part.includes(watched.mark);
  // A mark that two packets share is rare, and must not be missed.
  if (!found && viewer.tail.length > 0) found = Buffer.concat([viewer.tail, part]).includes(watched.mark);
  if (!found) {
    viewer.tail = Buffer.from(part.subarray(-tailMax));
    return;
  }
  const nowNs = process.hrtime.bigint();
  viewer.tail = Buffer.alloc(0);
  viewer.seen = watched.event;
  watched.firstNs ??= nowNs;
  watched.left -= 1;
  if (watched.left > 0) return;
  say({ seen: watched.event, firstNs: String(watched.firstNs), lastNs: String(nowNs) });
  watched = null;
}

/**
 * Resolves when the stream has begun.
 * @param {{ group: string, port: number, path: string }} where
 * @returns {Promise<Viewer>}
 */
function follow({ group, port, path }) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const viewer = { socket, tail: Buffer.alloc(0), seen: -1 };
    let begun = false;
    socket.setNoDelay(true);
    socket.on('connect', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n\r\n`),
    );
    socket.on('data', (part) => {
      if (!begun) {
        begun = true;
        const status = part.toString('latin1', 0, 15);
        if (!status.startsWith('HTTP/1.1 200')) reject(new Error(`Refused: ${status}`));
        resolve(viewer);
      }
      look(viewer, group, part);
    });
    socket.on('error', reject);
    socket.on('close', () => {
      if (!begun) reject(new Error('Closed before it began.'));
    });
  });
}

/** @param {{ group: string, port: number, path: string, count: number }} wish */
async function open({ group, port, path, count }) {
  /** @type {Viewer[]} */
  const made = [];
  groups.set(group, made);
  let begun = 0;
  const one = async () => {
    while (begun < count) {
      begun += 1;
      made.push(await follow({ group, port, path }));
    }
  };
  await Promise.all(Array.from({ length: Math.min(together, count) }, one));
  say({ opened: group });
}

process.on('message', (/** @type {any} */ message) => {
  if ('open' in message)
    open(message.open).catch((/** @type {Error} */ error) => say({ failed: error.message }));
  if ('watch' in message) {
    const { group, mark, event } = message.watch;
    watched = { group, mark: Buffer.from(mark), event, left: groups.get(group)?.length ?? 0, firstNs: null };
    say({ watching: event });
  }
  if ('leave' in message) {
    for (const { socket } of groups.get(message.leave) ?? []) socket.destroy();
    groups.delete(message.leave);
    say({ left: message.leave });
  }
});
process.on('disconnect', () => process.exit(0));
