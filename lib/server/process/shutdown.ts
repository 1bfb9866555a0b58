/**
 * Ends the process in order: no new connections, then everything that has to be written, then the last answers. No
 * connection is kept alive meanwhile.
 */
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

interface Ending {
  readonly server: Server;
  /** Called once, at the first signal. Settles when everything is written. */
  readonly close: (signal: string) => Promise<void>;
  /** Called after the last answer. */
  readonly closeLast: () => Promise<void>;
  readonly process: Pick<NodeJS.Process, 'on' | 'exit'>;
}

/** A shell's exit codes: 128 and the number of the signal. */
const exitCodes = { SIGTERM: 143, SIGINT: 130 } as const;
/** Time for the last answers. */
const lingerMs = 1_000;

export function endInOrder({ server, close, closeLast, process }: Ending): void {
  let ending = false;
  // A client that keeps its connection busy has to take another server's.
  server.on('request', (_request, response) => {
    if (ending) response.setHeader('connection', 'close');
  });
  const end = async (signal: keyof typeof exitCodes) => {
    if (ending) return;
    ending = true;
    const closed = new Promise((resolve) => server.close(resolve));
    await close(signal);
    // Connections that were busy at the signal are idle now.
    server.closeIdleConnections();
    await Promise.race([closed, delay(lingerMs)]);
    // The process ends in any case.
    await closeLast().catch(() => {});
    process.exit(exitCodes[signal]);
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}
