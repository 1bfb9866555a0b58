/**
 * Many returning viewers, in their own process and on bare sockets. Each follows the stream like a page (gzip, the id
 * of its last event, the waits of `lib/client/stream.ts`), and counts its numbered events.
 */
import { connect } from 'node:net';
import { constants, inflateRawSync } from 'node:zlib';

/** The number that connect at once at first: as many as a server accepts without a queue. */
const together = 40;
/** The waits of our pages: between half and all of it, doubled each time. */
const retryMs = { min: 500, max: 8_000 };
/** The gzip header, before the first block. */
const gzipHead = 10;
/** The end of each separately compressed event (zlib's `Z_SYNC_FLUSH`). */
const flushed = Buffer.of(0, 0, 0xff, 0xff);
/** Packets whose text is known, because viewers of one sight get the same bytes. */
const knownMax = 64;

/**
 * @typedef {object} Viewer
 * @property {string} cookie
 * @property {string} address of `X-Forwarded-For`
 * @property {string | null} lastId
 * @property {number} version of the world that it has
 * @property {number} mark the highest number that it has seen
 * @property {number} failures
 * @property {number | null} cutAtMs since when it has no stream
 * @property {import('node:net').Socket | null} socket
 */
/** @type {Viewer[]} */
const viewers = [];
/** @type {{ port: number, host: string } | null} */
let where = null;
/** Events that came twice or start before the viewer's version, missing events, and refused requests. */
const counts = { doubled: 0, lost: 0, refused: 0 };
/** @type {number[]} */
let awayMs = [];
/** @type {{ mark: number, left: Set<Viewer> } | null} */
let watched = null;

/** @param {unknown} message */
const say = (message) => process.send?.(message);

/**
 * The content of one event.
 * @typedef {object} Said
 * @property {string | null} id
 * @property {number} from the version that a patch begins at; no number otherwise
 * @property {boolean} whole a snapshot
 * @property {number[]} marks
 */
/** @type {{ bytes: Buffer, said: Said[] }[]} */
const known = [];

/**
 * Reads each packet once for all its viewers, so that this process does not read more slowly than the servers write.
 * @param {Buffer} bytes whole events
 */
function saidIn(bytes) {
  const before = known.find((one) => one.bytes.length === bytes.length && one.bytes.equals(bytes));
  if (before !== undefined) return before.said;
  const raw = bytes.length > gzipHead && bytes.readUInt16BE(0) === 0x1f8b ? bytes.subarray(gzipHead) : bytes;
  const text = inflateRawSync(raw, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  const said = text
    .split('\n\n')
    .filter((event) => event.includes('event: '))
    .map((event) => ({
      id: /^id: (.*)$/m.exec(event)?.[1] ?? null,
      from: Number(/^data: \{"from":(\d+),/m.exec(event)?.[1] ?? Number.NaN),
      whole: /^event: snapshot$/m.test(event),
      marks: [...event.matchAll(/mark-(\d{6})-end/g)].map(([, number]) => Number(number)),
    }));
  known.unshift({ bytes: Buffer.from(bytes), said });
  known.length = Math.min(known.length, knownMax);
  return said;
}

/**
 * @param {Viewer} viewer
 * @param {Said[]} said
 */
function hear(viewer, said) {
  for (const { id, from, whole, marks } of said) {
    if (id !== null) viewer.lastId = id;
    const version = id === null ? viewer.version : Number(id.slice(id.lastIndexOf('-') + 1));
    if (whole) {
      // The world is older than the viewer's.
      if (marks.some((mark) => mark < viewer.mark)) counts.doubled += 1;
      viewer.version = version;
    } else if (id !== null) {
      if (from < viewer.version) counts.doubled += 1;
      else if (from !== viewer.version) counts.lost += 1;
      viewer.version = version;
    }
    viewer.mark = Math.max(viewer.mark, ...marks);
    if (watched !== null && viewer.mark >= watched.mark) watched.left.delete(viewer);
  }
  if (watched?.left.size === 0) {
    say({ seen: watched.mark, lastNs: String(process.hrtime.bigint()) });
    watched = null;
  }
}

/**
 * @param {Viewer} viewer
 * @param {() => void} [onBegun] the first event has come
 */
function follow(viewer, onBegun = () => {}) {
  if (where === null) return;
  const socket = connect(where);
  viewer.socket = socket;
  let head = '';
  /** @type {Buffer[]} */
  let parts = [];
  /** 0: before the head. 1: before the first event. 2: following. */
  let state = 0;
  let waitMs = 0;
  socket.setNoDelay(true);
  const resume = viewer.lastId === null ? '' : `Last-Event-ID: ${viewer.lastId}\r\n`;
  socket.on('connect', () =>
    socket.write(
      `GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:${where?.port}\r\nX-Forwarded-For: ${viewer.address}\r\nAccept: text/event-stream\r\nAccept-Encoding: gzip\r\nCookie: ${viewer.cookie}\r\n${resume}\r\n`,
    ),
  );
  const take = (/** @type {Buffer} */ part) => {
    if (part.length === 0) return;
    parts.push(part);
    if (!part.subarray(-flushed.length).equals(flushed)) return;
    const said = saidIn(parts.length === 1 ? part : Buffer.concat(parts));
    parts = [];
    if (state === 1 && said.length > 0) {
      state = 2;
      viewer.failures = 0;
      if (viewer.cutAtMs !== null) awayMs.push(performance.now() - viewer.cutAtMs);
      viewer.cutAtMs = null;
      onBegun();
    }
    hear(viewer, said);
  };
  socket.on('data', (part) => {
    if (state > 0) return take(part);
    head += part.toString('latin1');
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    if (!head.startsWith('HTTP/1.1 200')) {
      counts.refused += 1;
      if (counts.refused === 1)
        console.log(`   refused: ${head.slice(0, head.indexOf('\r\n'))} ${head.slice(end + 4)}`);
      waitMs = 1000 * Number(/\r\nretry-after: (\d+)\r\n/i.exec(head)?.[1] ?? 1);
      socket.destroy();
      return;
    }
    state = 1;
    take(Buffer.from(head.slice(end + 4), 'latin1'));
    head = '';
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    if (viewer.socket !== socket) return;
    viewer.cutAtMs ??= performance.now();
    const stepMs = Math.min(retryMs.max, retryMs.min * 2 ** Math.min(viewer.failures, 10));
    viewer.failures += 1;
    setTimeout(() => follow(viewer, onBegun), Math.max(waitMs, stepMs * (0.5 + Math.random() / 2)));
  });
}

/** @param {{ port: number, cookies: string[], addresses: string[], count: number }} wish */
async function open({ port, cookies, addresses, count }) {
  where = { port, host: '127.0.0.1' };
  const fromMs = performance.now();
  const one = async () => {
    while (viewers.length < count) {
      const n = viewers.length;
      /** @type {Viewer} */
      const viewer = {
        cookie: cookies[n % cookies.length] ?? '',
        address: addresses[n % addresses.length] ?? '',
        lastId: null,
        version: 0,
        mark: 0,
        failures: 0,
        cutAtMs: null,
        socket: null,
      };
      viewers.push(viewer);
      await new Promise((/** @type {(value?: unknown) => void} */ begun) => follow(viewer, begun));
    }
  };
  await Promise.all(Array.from({ length: together }, one));
  say({ opened: count, ms: performance.now() - fromMs });
}

process.on('message', (/** @type {any} */ message) => {
  if ('open' in message) void open(message.open);
  if ('watch' in message) {
    watched = { mark: message.watch, left: new Set(viewers) };
    say({ watching: message.watch });
  }
  if ('ask' in message) {
    const cut = viewers.filter(({ cutAtMs }) => cutAtMs !== null).length;
    const marks = viewers.map(({ mark }) => mark);
    say({ ...counts, cut, awayMs, lowest: Math.min(...marks), highest: Math.max(...marks) });
    awayMs = [];
  }
});
process.on('disconnect', () => process.exit(0));
