/** A balancer before several servers: each new connection goes to the next server that accepts it. */
import { connect, createServer, type Socket } from 'node:net';

export interface Spread {
  readonly port: number;
  /** Connections to each server, in their order. */
  readonly counts: readonly number[];
  close(): Promise<void>;
}

/** `ports`: the servers' ports on this machine. */
export async function startSpread(ports: readonly number[]): Promise<Spread> {
  const counts = ports.map(() => 0);
  const sockets = new Set<Socket>();
  let next = 0;
  const keep = (socket: Socket) => {
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  };
  /** Tries each server once, from its own turn on: those of other connections must not lead it to one twice. */
  const lead = (client: Socket, turn: number, tries = 0): void => {
    if (tries === ports.length || client.destroyed) {
      client.destroy();
      return;
    }
    const at = (turn + tries) % ports.length;
    const upstream = connect({ host: '127.0.0.1', port: ports[at] ?? 0 });
    const refused = () => lead(client, turn, tries + 1);
    upstream.once('error', refused);
    upstream.once('connect', () => {
      // It left while this connected, and its end was not heard.
      if (client.destroyed) return void upstream.destroy();
      upstream.off('error', refused);
      upstream.on('error', () => client.destroy());
      keep(upstream);
      counts[at] = (counts[at] ?? 0) + 1;
      upstream.on('close', () => {
        counts[at] = (counts[at] ?? 0) - 1;
        client.destroy();
      });
      client.on('close', () => upstream.destroy());
      client.pipe(upstream).pipe(client);
    });
  };
  const server = createServer((client) => {
    keep(client);
    client.on('error', () => client.destroy());
    lead(client, next);
    next += 1;
  });
  await new Promise<void>((resolve) =>
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, resolve),
  );
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The balancer has no port.');
  return {
    port: bound.port,
    counts,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
