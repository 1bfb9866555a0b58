/** Start and end of the server process. */
import { endInOrder } from './ending';
import { observeResponses } from './handover';
import { errorFields } from './log';
import { observePeers } from './peer';
import { endRuntime, runtime } from './runtime';

/**
 * Starts watching, so that the first page has something to show, and ends the streams when the process is asked to
 * end: Next waits for open requests, and an event stream never ends by itself.
 */
export function startServer(): void {
  observePeers();
  observeResponses();
  const { log } = runtime();
  const close = (signal: string) => {
    log.info({ signal }, 'ending');
    return endRuntime().catch((error: unknown) => log.error(errorFields(error), 'could not end in order'));
  };
  endInOrder(close, process);
}
