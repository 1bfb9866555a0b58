/**
 * The end of the process, in order. Next ends it when its last connection is closed: too early for what is still to be
 * written, as an action whose viewer has left has no connection; and never, where a client goes on asking on a connection
 * that it keeps. So the exit waits for us, from the signal on no connection is kept after its answer, and once
 * everything is written those that are left are closed.
 */
import { channel } from 'node:diagnostics_channel';
import type { Server, ServerResponse } from 'node:http';

/** What is used of `process`. */
type Ending = Pick<NodeJS.Process, 'once' | 'exit'>;

const signals = ['SIGTERM', 'SIGINT'] as const;
/** Node tells of every request on this channel before it hands it to the server. */
const requests = channel('http.server.request.start');
/** For the last answers to go out. */
const lingerMs = 1_000;

/** Calls `close` once, at the first signal to end, and holds every exit from then on until that has settled. */
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
