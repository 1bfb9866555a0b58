/**
 * Many readers of gzip event streams, in their own process and on bare sockets, so that they cost the server nothing.
 * Commands are messages: `open` starts some, `watch` waits for a text, which each of them reads once.
 */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { constants, inflateRawSync } from 'node:zlib';

/** The number that connect at once: as many as a server accepts without a queue. */
const together = 40;
/** The gzip header, before the first block. */
const gzipHead = 10;
const none = Buffer.alloc(0);
let connected = 0;
/** Several addresses, because one may hold half of a credential's streams (`lib/server/stream/stream-quota.ts`). */
const nextAddress = () => `127.1.1.${1 + (connected++ % 8)}`;

/** @typedef {{ socket: import('node:net').Socket, cookie: string, chunked: boolean, rest: Buffer, seen: number }} Viewer */
/** @type {Map<string, Viewer[]>} */
const groups = new Map();
/**
 * `bytes`: for each cookie, the bytes with the mark at its first viewer. The others get the same, and need not unpack
 * it.
 * @type {{ group: string, mark: string, event: number, left: number, bytes: Map<string, Buffer> } | null}
 */
let watched = null;

/** @param {unknown} message */
const say = (message) => process.send?.(message);

/**
 * The whole HTTP chunks at the start of these bytes, and the rest.
 * @param {Buffer} bytes
 * @returns {{ chunks: Buffer[], rest: Buffer }}
 */
function chunksOf(bytes) {
  const chunks = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    const next = end + 2 + size + 2;
    if (end === -1 || !(next <= bytes.length)) return { chunks, rest: at === 0 ? bytes : bytes.subarray(at) };
    chunks.push(bytes.subarray(end + 2, next - 2));
    at = next;
  }
}

/** The end of each separately compressed event: an empty block, up to a byte (zlib's `Z_SYNC_FLUSH`). */
const flushed = Buffer.of(0, 0, 0xff, 0xff);

/**
 * The same for an answer without chunks: the bytes up to the end of an event.
 * @param {Buffer} bytes
 * @returns {{ chunks: Buffer[], rest: Buffer }}
 */
const eventsOf = (bytes) =>
  bytes.subarray(-flushed.length).equals(flushed)
    ? { chunks: [bytes], rest: none }
    : { chunks: [], rest: bytes };

/**
 * The text of a chunk of small events, each compressed separately. A large event, which comes in several chunks, has no
 * text here, and needs none.
 * @param {Buffer} chunk
 */
function textOf(chunk) {
  const bytes = chunk.readUInt16BE(0) === 0x1f8b ? chunk.subarray(gzipHead) : chunk;
  try {
    return inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  } catch {
    return '';
  }
}

/**
 * @param {Viewer} viewer
 * @param {string} group
 * @param {Buffer} part
 */
function look(viewer, group, part) {
  const whole = viewer.rest.length === 0;
  let found = whole && watched?.group === group && watched.bytes.get(viewer.cookie)?.equals(part) === true;
  if (!found) {
    const bytes = whole ? part : Buffer.concat([viewer.rest, part]);
    const { chunks, rest } = viewer.chunked ? chunksOf(bytes) : eventsOf(bytes);
    viewer.rest = rest.length === 0 ? none : Buffer.from(rest);
    if (watched === null || watched.group !== group || viewer.seen === watched.event) return;
    const { mark } = watched;
    found = chunks.some((chunk) => textOf(chunk).includes(mark));
    if (found && whole && rest.length === 0) watched.bytes.set(viewer.cookie, Buffer.from(part));
  }
  if (!found || watched === null) return;
  const nowNs = process.hrtime.bigint();
  viewer.seen = watched.event;
  watched.left -= 1;
  if (watched.left > 0) return;
  say({ seen: watched.event, lastNs: String(nowNs) });
  watched = null;
}

/**
 * Resolves with the viewer once its stream has begun, or with the seconds until this person may open another one.
 * @param {{ group: string, port: number, path: string, cookie: string }} where
 * @returns {Promise<Viewer | number>}
 */
function follow({ group, port, path, cookie }) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: nextAddress() });
    const viewer = { socket, cookie, chunked: false, rest: none, seen: -1 };
    let head = '';
    let begun = false;
    socket.setNoDelay(true);
    socket.on('connect', () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\nAccept-Encoding: gzip\r\nCookie: ${cookie}\r\n\r\n`,
      ),
    );
    socket.on('data', (part) => {
      if (begun) {
        look(viewer, group, part);
        return;
      }
      head += part.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      begun = true;
      const again = /^HTTP\/1\.1 429[\s\S]*\r\nretry-after: (\d+)\r\n/i.exec(head.slice(0, end + 2))?.[1];
      if (again !== undefined) {
        socket.destroy();
        resolve(Number(again));
        return;
      }
      if (!/^HTTP\/1\.1 200[\s\S]*\r\ncontent-encoding: gzip\r\n/i.test(head.slice(0, end + 2)))
        reject(new Error(`Refused, or not in gzip: ${head.slice(0, end)}`));
      viewer.chunked = /\r\ntransfer-encoding: chunked\r\n/i.test(head.slice(0, end + 2));
      look(viewer, group, Buffer.from(head.slice(end + 4), 'latin1'));
      head = '';
      resolve(viewer);
    });
    socket.on('error', reject);
    socket.on('close', () => {
      if (!begun) reject(new Error('Closed before it began.'));
    });
  });
}

/** @param {{ group: string, port: number, path: string, cookies: string[], count: number }} wish `cookies`: in turns */
async function open({ count, cookies, ...where }) {
  /** @type {Viewer[]} */
  const made = [];
  groups.set(where.group, made);
  const begunAtMs = performance.now();
  let begun = 0;
  let waitedMs = 0;
  /** @type {Promise<void> | null} */
  let waiting = null;
  /** All wait together, because they are the same few people. */
  const wait = async (/** @type {number} */ seconds) => {
    const fromMs = performance.now();
    await pause(seconds * 1000);
    waitedMs += performance.now() - fromMs;
    waiting = null;
  };
  const one = async () => {
    while (begun < count) {
      begun += 1;
      const cookie = cookies[begun % cookies.length] ?? '';
      for (let viewer = await follow({ ...where, cookie }); ; viewer = await follow({ ...where, cookie })) {
        if (typeof viewer !== 'number') {
          made.push(viewer);
          break;
        }
        waiting ??= wait(viewer);
        await waiting;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(together, count) }, one));
  say({ opened: where.group, ms: performance.now() - begunAtMs - waitedMs });
}

process.on('message', (/** @type {any} */ message) => {
  if ('open' in message)
    open(message.open).catch((/** @type {Error} */ error) => say({ failed: error.message }));
  if ('watch' in message) {
    const { group, mark, event } = message.watch;
    const left = groups.get(group)?.length ?? 0;
    watched = { group, mark, event, left, bytes: new Map() };
    say({ watching: event });
  }
  if ('leave' in message) {
    for (const { socket } of groups.get(message.leave) ?? []) socket.destroy();
    groups.delete(message.leave);
    say({ left: message.leave });
  }
});
process.on('disconnect', () => process.exit(0));
