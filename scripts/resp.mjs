/** A small client of Redis's protocol (RESP2), for scripts and tests that set a server up, or look past the console. */
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** @typedef {string | number | null | ReplyError | Reply[]} Reply bulk strings as latin1, so that every byte survives */

/** A refusal of the server. */
export class ReplyError extends Error {}

/**
 * One reply at `at`; `null` while it is incomplete.
 * @param {Buffer} bytes
 * @param {number} at
 * @returns {{ reply: Reply, end: number } | null}
 */
function replyAt(bytes, at) {
  const lineEnd = bytes.indexOf('\r\n', at);
  if (lineEnd === -1) return null;
  const kind = String.fromCharCode(bytes[at] ?? 0);
  const text = bytes.toString('latin1', at + 1, lineEnd);
  const end = lineEnd + 2;
  if (kind === '+') return { reply: text, end };
  if (kind === '-') return { reply: new ReplyError(text), end };
  if (kind === ':') return { reply: Number(text), end };
  const length = Number(text);
  if (length === -1) return { reply: null, end };
  if (kind === '$')
    return bytes.length < end + length + 2
      ? null
      : { reply: bytes.toString('latin1', end, end + length), end: end + length + 2 };
  if (kind !== '*') throw new Error(`This is no reply of Redis: ${kind}${text}`);
  /** @type {Reply[]} */
  const parts = [];
  let from = end;
  for (let n = 0; n < length; n += 1) {
    const part = replyAt(bytes, from);
    if (part === null) return null;
    parts.push(part.reply);
    from = part.end;
  }
  return { reply: parts, end: from };
}

/**
 * @typedef {object} Resp
 * @property {(...command: (string | number | Buffer)[]) => Promise<any>} call a refusal is thrown as `ReplyError`
 * @property {(hear: (message: Reply) => void) => void} onMessage hears what comes without a question (subscriptions)
 * @property {() => boolean} closed from either side
 * @property {() => void} close
 */

/**
 * Connects; calls fail when the connection does.
 * @param {{ port: number, host?: string, tls?: import('node:tls').ConnectionOptions }} where
 * @returns {Resp}
 */
export function connectResp({ port, host = '127.0.0.1', tls }) {
  const socket = tls === undefined ? connectTcp({ port, host }) : connectTls({ ...tls, port, host });
  /** @type {{ resolve: (reply: Reply) => void, reject: (error: Error) => void }[]} */
  const waiting = [];
  /** @type {(message: Reply) => void} */
  let hear = () => {};
  let subscribed = false;
  let bytes = Buffer.alloc(0);
  /** @type {Error | null} */
  let over = null;
  const end = (/** @type {Error} */ error) => {
    over ??= error;
    socket.destroy();
    for (const { reject } of waiting.splice(0)) reject(over);
  };
  socket.on('error', end);
  socket.on('close', () => end(new Error('The connection to Redis is closed.')));
  socket.on('data', (piece) => {
    bytes = Buffer.concat([bytes, piece]);
    for (let next = replyAt(bytes, 0); next !== null; next = replyAt(bytes, 0)) {
      bytes = bytes.subarray(next.end);
      const { reply } = next;
      const kind = Array.isArray(reply) ? reply[0] : null;
      if (subscribed && typeof kind === 'string' && /^[sp]?message$/.test(kind)) hear(reply);
      else if (reply instanceof ReplyError) waiting.shift()?.reject(reply);
      else waiting.shift()?.resolve(reply);
    }
  });
  return {
    call: (...command) =>
      new Promise((resolve, reject) => {
        if (over !== null) return reject(over);
        if (/^[sp]?subscribe$/i.test(String(command[0]))) subscribed = true;
        waiting.push({ resolve, reject });
        const parts = command.map((part) => (Buffer.isBuffer(part) ? part : Buffer.from(String(part))));
        socket.write(
          Buffer.concat([
            Buffer.from(`*${parts.length}\r\n`),
            ...parts.flatMap((part) => [Buffer.from(`$${part.length}\r\n`), part, Buffer.from('\r\n')]),
          ]),
        );
      }),
    onMessage: (listener) => {
      hear = listener;
    },
    closed: () => over !== null,
    close: () => end(new Error('The connection to Redis was closed here.')),
  };
}
