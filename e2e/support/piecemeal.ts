/** A server in front of another that hands out its documents in pieces on demand: a slow line, without a clock. */
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Piecemeal {
  /** Without a slash at the end. */
  readonly url: string;
  /** Hands out the next piece of the document that was asked for last; false when that was the last one. */
  next(): boolean;
  stop(): Promise<void>;
}

/**
 * The front of `target`. Everything before `<header` in a document goes out at once, as the browser paints nothing
 * before it has the styles; then pieces of `pieceBytes` up to `</main>`; then the rest at once, which a script shows as
 * a whole. Other answers pass through.
 */
export async function startPiecemeal(target: string, pieceBytes: number): Promise<Piecemeal> {
  /** `slow`: how many of the bytes go out in pieces. */
  let rest: { bytes: Buffer; slow: number; answer: ServerResponse } | null = null;
  const { hostname, port } = new URL(target);
  const server = createServer((asked, answer) => {
    // Uncompressed: the browser parses the cut pieces.
    const headers = { ...asked.headers, 'accept-encoding': 'identity' };
    const passed = request(
      { hostname, port, path: asked.url, method: asked.method, headers },
      async (response) => {
        answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
        if (!response.headers['content-type']?.startsWith('text/html')) {
          response.pipe(answer);
          return;
        }
        const whole = Buffer.concat(await response.toArray());
        const from = Math.max(0, whole.indexOf('<header'));
        answer.write(whole.subarray(0, from));
        rest = { bytes: whole.subarray(from), slow: whole.indexOf('</main>') - from, answer };
      },
    );
    passed.once('error', () => answer.destroy());
    answer.once('close', () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: () => {
      if (rest === null) return false;
      if (rest.slow <= 0) {
        rest.answer.end(rest.bytes);
        rest = null;
        return false;
      }
      rest.answer.write(rest.bytes.subarray(0, pieceBytes));
      rest.bytes = rest.bytes.subarray(pieceBytes);
      rest.slow -= pieceBytes;
      return true;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
