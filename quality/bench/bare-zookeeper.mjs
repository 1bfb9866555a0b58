/**
 * A minimal client of ZooKeeper, for comparison: one recursive watch reports changes, and it reads the new nodes. On
 * `read`, it reads every node and its names. It runs in its own process.
 */
import { connect } from 'node:net';

const [port = '', root = ''] = process.argv.slice(2);
const inFlightMax = 128;
const sessionMs = 60_000;
const [getData, getChildren, addWatch, ping] = [4, 8, 106, 11];
const nodeCreated = 1;
const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });

const int = (/** @type {number} */ value) => {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const text = (/** @type {string} */ value) =>
  Buffer.concat([int(Buffer.byteLength(value)), Buffer.from(value)]);
const send = (/** @type {Buffer[]} */ ...parts) => {
  const body = Buffer.concat(parts);
  socket.write(Buffer.concat([int(body.length), body]));
};
/** @type {((body: Buffer) => void)[]} */
const waiting = [];
const ask = (/** @type {number} */ opcode, /** @type {Buffer[]} */ ...parts) =>
  new Promise((/** @type {(body: Buffer) => void} */ resolve) => {
    waiting.push(resolve);
    send(int(waiting.length), int(opcode), ...parts);
  });
const textAt = (/** @type {Buffer} */ body, /** @type {number} */ at) =>
  body.toString('utf8', at + 4, at + 4 + body.readInt32BE(at));

async function names(/** @type {string} */ path) {
  const body = await ask(getChildren, text(path), Buffer.from([0]));
  /** @type {string[]} */
  const all = [];
  for (let at = 8, n = body.length < 8 ? 0 : body.readInt32BE(4); n > 0; n -= 1) {
    const name = textAt(body, at);
    all.push(name);
    at += 4 + Buffer.byteLength(name);
  }
  return all;
}

async function readAll() {
  const beganMs = performance.now();
  const paths = [root];
  let [keys, bytes] = [0, 0];
  const visit = async (/** @type {string} */ path) => {
    const [data, below] = await Promise.all([ask(getData, text(path), Buffer.from([0])), names(path)]);
    keys += 1;
    bytes += data.length + path.length;
    for (const name of below) paths.push(`${path}/${name}`);
  };
  for (let at = 0; at < paths.length; ) {
    const some = paths.slice(at, at + inFlightMax);
    at += some.length;
    await Promise.all(some.map(visit));
  }
  return { tookMs: performance.now() - beganMs, keys, bytes };
}

async function heard(/** @type {Buffer} */ body) {
  const path = textAt(body, 8);
  if (body.readInt32BE(0) === nodeCreated) await ask(getData, text(path), Buffer.from([0]));
  process.send?.({ seenNs: String(process.hrtime.bigint()), what: path });
}

let bytes = Buffer.alloc(0);
let greeted = () => {};
let isGreeted = false;
socket.on('data', (piece) => {
  bytes = Buffer.concat([bytes, piece]);
  while (bytes.length >= 4 && bytes.length >= 4 + bytes.readInt32BE(0)) {
    const frame = bytes.subarray(4, 4 + bytes.readInt32BE(0));
    bytes = bytes.subarray(4 + frame.length);
    if (!isGreeted) {
      isGreeted = true;
      greeted();
      continue;
    }
    const xid = frame.readInt32BE(0);
    // The id of the transaction and the error precede the answer. The answer's reader checks the error.
    if (xid === -1) void heard(frame.subarray(16));
    else if (xid !== -2) waiting.shift()?.(frame.subarray(12));
  }
});
socket.on('close', () => process.exit(1));
process.on('disconnect', () => process.exit(0));
process.on('message', async () => process.send?.({ read: await readAll() }));
const welcome = new Promise((/** @type {(nothing: void) => void} */ resolve) => {
  greeted = resolve;
});
send(int(0), Buffer.alloc(8), int(sessionMs), Buffer.alloc(8), int(16), Buffer.alloc(16), Buffer.from([0]));
await welcome;
setInterval(() => send(int(-2), int(ping)), 5_000);
await ask(addWatch, text(root), int(1));
process.send?.({ ready: true });
