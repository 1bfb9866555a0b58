/** One request as raw bytes on its own connection, beyond the limits of client libraries, and its answer. */
import { connect } from 'node:net';

export interface Answer {
  /** `null`: the connection ended without an answer. */
  readonly status: number | null;
  /** Headers by lower-case name; the last of several with one name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Far longer than any answer here takes, even on a busy machine. */
const answerMsMax = 30_000;
const bytesMax = 4 * 1024 * 1024;

function parsed(bytes: Buffer): Answer {
  const text = bytes.toString('utf8');
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end === -1 ? undefined : end).split('\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1];
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return {
    status: status === undefined ? null : Number(status),
    headers,
    body: end === -1 ? '' : text.slice(end + 4),
  };
}

/** An event stream brings nothing relevant after its start. */
const isStream = (bytes: Buffer) =>
  /\r\ncontent-type: text\/event-stream/i.test(bytes.toString('latin1', 0, 4_096)) &&
  bytes.includes('\r\n\r\n');

/**
 * Sends the bytes, ends the connection's own half if `cut`, and reads to the end. Rejects when the server does not end
 * the connection in time, and so keeps a request that it should refuse.
 */
export function send(port: number, bytes: Buffer, { cut = false }: { cut?: boolean } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const socket = connect({ port, host: '127.0.0.1' });
    const done = () => {
      clearTimeout(late);
      socket.destroy();
      resolve(parsed(Buffer.concat(parts)));
    };
    const late = setTimeout(() => {
      socket.destroy();
      // The server waits for a sender that announced more bytes.
      if (cut) done();
      else
        reject(
          new Error(
            `no answer within ${answerMsMax / 1000} s; so far: ${parsed(Buffer.concat(parts)).status}`,
          ),
        );
    }, answerMsMax);
    socket.on('data', (part) => {
      parts.push(part);
      size += part.length;
      if (size > bytesMax || isStream(Buffer.concat(parts))) done();
    });
    socket.once('end', done);
    // The server may reset a sender of bytes that are no HTTP.
    socket.once('error', done);
    socket.once('connect', () => {
      socket.write(bytes);
      if (cut) socket.end();
    });
  });
}
