/** A link to Consul that loses the answer of a write: the one failure with an unknown outcome. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LossyLink {
  /** `127.0.0.1:<port>`. */
  readonly address: string;
  /** Writes that were passed on, by path. */
  readonly writes: readonly string[];
  /**
   * `lose`: passes writes on and breaks the connection in place of the answer. `swallow`: breaks the connection before
   * the write is passed on. `lose-all`: as `lose`, and refuses every request after that.
   */
  mode: 'pass' | 'lose' | 'swallow' | 'lose-all';
  close(): Promise<void>;
}

export async function startLossyLink(target: string): Promise<LossyLink> {
  const [host = '', port = ''] = target.split(':');
  const writes: string[] = [];
  let dead = false;
  const link: { mode: LossyLink['mode'] } = { mode: 'pass' };
  const server = http.createServer((request, response) => {
    const write = request.method === 'PUT';
    if (dead || (write && link.mode === 'swallow')) {
      request.socket.resetAndDestroy();
      return;
    }
    const upstream = http.request(
      { host, port, path: request.url, method: request.method, headers: request.headers, agent: false },
      (answer) => {
        if (write && link.mode !== 'pass') {
          dead = link.mode === 'lose-all';
          answer.resume().on('end', () => request.socket.resetAndDestroy());
          return;
        }
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    upstream.on('error', () => request.socket.resetAndDestroy());
    if (write) writes.push(request.url ?? '');
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    writes,
    get mode() {
      return link.mode;
    },
    set mode(mode) {
      link.mode = mode;
      dead = false;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
