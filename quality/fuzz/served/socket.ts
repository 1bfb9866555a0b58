/** One request as bytes on a connection of its own, as no client library would send it, and what comes back. */
import { connect } from 'node:net';

export interface Answer {
  /** `null`: the connection ended without an answer. */
  readonly status: number | null;
  /** By name in small letters; of several of one name the last. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Far longer than anything here takes, on a busy machine too: beyond it nothing would come. */
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

/** An event stream says nothing more that matters once it has begun. */
const isStream = (bytes: Buffer) =>
  /\r\ncontent-type: text\/event-stream/i.test(bytes.toString('latin1', 0, 4_096)) &&
  bytes.includes('\r\n\r\n');

/**
 * Sends the bytes, ends the connection's own half if `cut`, and reads to the end. Rejects when the server does not end
 * it within 10 s: then it held on to a request that it should have refused.
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
      // Whoever never says all that they announced is waited for.
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
    // Reset: the server may cut off a sender of bytes that are no HTTP.
    socket.once('error', done);
    socket.once('connect', () => {
      socket.write(bytes);
      if (cut) socket.end();
    });
  });
}
