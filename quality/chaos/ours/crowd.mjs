/**
 * Many viewers of event streams in a process of their own, on bare sockets, so that they cost the harness nothing and a
 * machine little. Told by messages: `open` so many (answered with how each was answered), then `behave`; they are gone with
 * the process.
 */
import { connect } from 'node:net';

/** No budget of one address turns them away. @param {number} n */
const addressOf = (n) => `127.1.${1 + Math.floor(n / 250)}.${1 + (n % 250)}`;
const answerMaxMs = 30_000;

/** @type {import('node:net').Socket[]} */
const streams = [];

/**
 * Resolves with the status, `0` for one that was broken or not answered; a refusal that does not say when to come again is
 * `<status> without a word`.
 * @param {number} port
 * @param {number} n
 * @returns {Promise<string>}
 */
function come(port, n) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: addressOf(n) });
    let head = '';
    let answered = false;
    const end = (/** @type {string} */ how) => {
      if (answered) return;
      answered = true;
      socket.setTimeout(0);
      resolve(how);
    };
    socket.setTimeout(answerMaxMs, () => socket.destroy());
    socket.on('connect', () =>
      socket.write(
        `GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n\r\n`,
      ),
    );
    const look = (/** @type {Buffer} */ part) => {
      head += part.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', look);
      const status = head.slice(9, 12);
      if (status === '200') {
        streams.push(socket);
        // Until it gets a behaviour it reads, as most do.
        socket.resume();
        end(status);
        return;
      }
      end(/^retry-after: \d+\r$/im.test(head) ? status : `${status} without a word`);
      socket.destroy();
    };
    socket.on('data', look);
    socket.on('error', () => end('0'));
    socket.on('close', () => end('0'));
  });
}

/** @param {{ port: number, size: number, together: number }} crowd */
async function open({ port, size, together }) {
  /** @type {Record<string, number>} */
  const answers = {};
  let next = 0;
  const queue = async () => {
    for (let n = next++; n < size; n = next++) {
      const how = await come(port, n);
      answers[how] = (answers[how] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: together }, queue));
  process.send?.({ answers });
}

/** Each reads so many bytes a second from now on; 0: none. @param {number} bytesPerSecond */
function read(bytesPerSecond) {
  for (const socket of streams) {
    if (bytesPerSecond === 0) socket.pause();
    else
      socket.on('data', (part) => {
        socket.pause();
        setTimeout(() => socket.resume(), (part.length / bytesPerSecond) * 1_000);
      });
  }
}

process.on('message', (/** @type {any} */ asked) => {
  if (asked.open !== undefined) open(asked.open);
  if (asked.bytesPerSecond !== undefined) read(asked.bytesPerSecond);
  if (asked.leave === true) {
    // Without a word: a machine that is gone.
    for (const socket of streams) socket.resetAndDestroy();
    process.disconnect();
  }
});
process.on('disconnect', () => process.exit(0));
