/** A proxy before a Consul that counts its requests. */
import { connect, createServer, type Socket } from 'node:net';

export interface ReadCount {
  /** `127.0.0.1:<port>`. */
  readonly address: string;
  /** Requests passed on so far. */
  readonly requests: number;
  close(): Promise<void>;
}

/** A request line of HTTP/1.1. No body to Consul contains one. */
const requestLine = /(?:GET|PUT|POST|DELETE) \/v1\/\S* HTTP\/1\.1\r\n/g;

/** `target`: `host:port`. */
export async function startReadCount(target: string): Promise<ReadCount> {
  const [host = '127.0.0.1', port = '0'] = target.split(':');
  let requests = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect({ host, port: Number(port) });
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (part) => {
      requests += part.toString('latin1').match(requestLine)?.length ?? 0;
    });
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The counter has no port.');
  return {
    address: `127.0.0.1:${bound.port}`,
    get requests() {
      return requests;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
