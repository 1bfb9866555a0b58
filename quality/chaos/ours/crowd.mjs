/**
 * Many viewers of event streams in their own process, on bare sockets, so that they cost the harness nothing. Commands
 * are messages: `open` starts a number of them (and answers their statuses), `behave` sets their reading. They end with
 * the process.
 */
import { connect } from 'node:net';

/** An address for each viewer, so that no budget refuses them. @param {number} n */
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
        // Reads until a behaviour is set, as most viewers do.
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

/** Lets each viewer read at this rate from now on; 0: not at all. @param {number} bytesPerSecond */
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
    // Resets without a goodbye, like a machine that is gone.
    for (const socket of streams) socket.resetAndDestroy();
    process.disconnect();
  }
});
process.on('disconnect', () => process.exit(0));
