import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { ProblemError } from '@/lib/domain/problem';
import { logConsole } from '@/lib/server/process/console-log';
import { errorFields } from '@/lib/server/process/log';
import { endInOrder } from '@/lib/server/process/shutdown';
import { endRuntime, type Runtime, runtime } from '@/lib/server/runtime';
import { createListener, type StreamRoutes } from './listener';
import { pass } from './request-guard';

/** The objects that `server.js` leaves for this process. */
interface Host {
  readonly server: Server;
  /** Next's answer. */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Ends Next. */
  readonly close: () => Promise<void>;
  /** Lets the server listen. */
  readonly started: () => void;
}
const place = globalThis as typeof globalThis & { [key: symbol]: Host | undefined };

function refuseToStart(why: unknown): never {
  process.stderr.write(`Signalbox cannot start: ${why}\n`);
  process.exit(1);
}

/** Ends the process on wrong settings. Next would only log the error, and answer every request with 500. */
async function runtimeOrExit(): Promise<Runtime> {
  try {
    const present = runtime();
    const refused = await present.refused();
    if (refused === null) return present;
    return refuseToStart(refused);
  } catch (error) {
    return refuseToStart(error instanceof ProblemError ? error.problem.detail : errorFields(error).stack);
  }
}

/**
 * Starts the watch, so that the first page has data, and gives the server its listener. A shutdown ends the streams,
 * which have no end of their own. `streams`: their routes.
 */
export async function startServer(streams: StreamRoutes): Promise<void> {
  const host = place[Symbol.for('signalbox.server')];
  // Next's own commands would answer without turns, and without the address of a request.
  if (host === undefined)
    refuseToStart('use `npm start`, `npm run dev` or `node server.js`, not the `next` command.');
  const present = await runtimeOrExit();
  const { log } = present;
  const onBug = (error: unknown) => log.error(errorFields(error), 'bug');
  // In development, edits to the door and to streams must take effect. The listener keeps the code from the start.
  const built = process.env.NODE_ENV === 'production';
  if (built) logConsole(log);
  const close = async (signal: string) => {
    log.info({ signal }, 'ending');
    await endRuntime().catch((error: unknown) => log.error(errorFields(error), 'could not end in order'));
  };
  endInOrder({ server: host.server, close, closeLast: host.close, process });
  host.server.on(
    'request',
    createListener({ answer: host.answer, onBug, entry: built ? { ...present, pass, streams } : null }),
  );
  host.started();
}
