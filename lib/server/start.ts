/** Start and end of the server process. */
import { errorFields } from './log';
import { observePeers } from './peer';
import { closeRuntime, runtime } from './runtime';

const signals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Starts watching, so that the first page has something to show, and ends the streams when the process is asked to
 * end: Next waits for open requests, and an event stream never ends by itself.
 */
export function startServer(): void {
  observePeers();
  const { log } = runtime();
  for (const signal of signals)
    process.once(signal, () => {
      log.info({ signal }, 'ending');
      closeRuntime().catch((error: unknown) => log.error(errorFields(error), 'could not end in order'));
    });
}
