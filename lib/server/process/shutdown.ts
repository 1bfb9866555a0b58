/**
 * Ends the process in order. Next exits with its last connection. That is too early for pending writes, as an action
 * whose viewer has left has no connection. With a client that keeps its connection busy, Next never exits. So the exit
 * waits for `close`, connections are not kept alive after the signal, and the remaining ones are closed after all
 * writes.
 */
import { channel } from 'node:diagnostics_channel';
import type { Server, ServerResponse } from 'node:http';

type Ending = Pick<NodeJS.Process, 'once' | 'exit'>;

const signals = ['SIGTERM', 'SIGINT'] as const;
/** Node publishes every request on this channel before the server gets it. */
const requests = channel('http.server.request.start');
/** Time for the last answers. */
const lingerMs = 1_000;

/** Calls `close` once, at the first signal, and holds every exit until that has settled. */
export function endInOrder(close: (signal: string) => Promise<void>, process: Ending): void {
  let closed: Promise<void> | null = null;
  const servers = new Set<Server>();
  requests.subscribe((message) => {
    const { server, response } = message as { server: Server; response: ServerResponse };
    servers.add(server);
    if (closed !== null) response.shouldKeepAlive = false;
  });
  const closeConnections = () => {
    for (const server of servers) server.closeAllConnections();
  };
  const end = (signal: string) => {
    if (closed !== null) return;
    closed = close(signal).finally(() => void setTimeout(closeConnections, lingerMs).unref());
    const exit = process.exit.bind(process);
    process.exit = ((code) => {
      void closed?.finally(() => exit(code));
    }) as typeof process.exit;
  };
  for (const signal of signals) process.once(signal, () => end(signal));
}
