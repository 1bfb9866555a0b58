import { ProblemError } from '@/lib/domain/problem';
import { observePeers } from '@/lib/server/http/peer';
import { logConsole } from '@/lib/server/process/console-log';
import { errorFields } from '@/lib/server/process/log';
import { endInOrder } from '@/lib/server/process/shutdown';
import { endRuntime, type Runtime, runtime } from '@/lib/server/runtime';
import { answerStreams, type Ways } from '@/lib/server/stream/handover';
import { answerInTurns } from './door';
import { pass } from './request-guard';

/** Ends the process on wrong settings. Next would only log the error, and answer every request with 500. */
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
 * Starts to watch, so that the first page has data. At shutdown ends the streams: Next waits for open requests, and an
 * event stream has no end of its own. `streams`: the routes that answer with one.
 */
export function startServer(streams: Ways['routes']): void {
  observePeers();
  const present = runtimeOrExit();
  const { log } = present;
  // In development, edits to stream code must take effect, and these steps would keep the code from the start.
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
