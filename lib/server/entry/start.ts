/** Start and end of the server process. */
import { ProblemError } from '@/lib/domain/problem';
import { observePeers } from '@/lib/server/http/peer';
import { logConsole } from '@/lib/server/process/console-log';
import { errorFields } from '@/lib/server/process/log';
import { endInOrder } from '@/lib/server/process/shutdown';
import { endRuntime, type Runtime, runtime } from '@/lib/server/runtime';
import { answerStreams, type Ways } from '@/lib/server/stream/handover';
import { answerInTurns } from './door';
import { pass } from './request-guard';

/**
 * Ends the process where the settings are wrong. Next would only log the error, and answer every request with status 500
 * for as long as it runs.
 */
function runtimeOrExit(): Runtime {
  try {
    return runtime();
  } catch (error) {
    const said = error instanceof ProblemError ? error.problem.detail : errorFields(error).stack;
    process.stderr.write(`Signalbox cannot start: ${said}\n`);
    process.exit(1);
  }
}

/**
 * Starts watching, so that the first page has something to show, and ends the streams when the process is asked to
 * end: Next waits for open requests, and an event stream never ends by itself. `streams`: the routes that answer with one.
 */
export function startServer(streams: Ways['routes']): void {
  observePeers();
  const present = runtimeOrExit();
  const { log } = present;
  // In development an edit of what answers a stream takes effect, and what was loaded at the start stays as it was.
  if (process.env.NODE_ENV === 'production') {
    logConsole(log);
    const onBug = (error: unknown) => log.error(errorFields(error), 'bug');
    answerStreams({ pass, routes: streams, onBug });
    answerInTurns({ ...present, pass, onBug });
  }
  const close = (signal: string) => {
    log.info({ signal }, 'ending');
    return endRuntime().catch((error: unknown) => log.error(errorFields(error), 'could not end in order'));
  };
  endInOrder(close, process);
}
