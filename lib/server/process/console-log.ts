/**
 * What the framework prints to the console, as lines of our log. Next writes bare text there: no reader of JSON lines takes
 * it, and an error comes with all that hangs on it, past what keeps secrets out of the log.
 */
import { format, stripVTControlCharacters } from 'node:util';
import { errorFields, type Log } from './log';

/** A client that leaves in the middle of its request, which Next reports as an error of the server. */
const isLeaving = (error: unknown) =>
  error instanceof Error && error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET';

/** From now on errors and warnings of this console are log lines. Returns what undoes that. */
export function logConsole(
  log: Pick<Log, 'debug' | 'warn' | 'error'>,
  target: Pick<Console, 'error' | 'warn'> = console,
): () => void {
  const { error, warn } = target;
  const line =
    (level: 'warn' | 'error') =>
    (...said: unknown[]) => {
      const failure = said.find((one) => one instanceof Error);
      const words = said.filter((one) => !(one instanceof Error));
      const text = stripVTControlCharacters(format(...words)).trim();
      if (isLeaving(failure)) log.debug(errorFields(failure), 'the client left');
      else log[level](failure === undefined ? {} : errorFields(failure), text || 'the framework failed');
    };
  target.error = line('error');
  target.warn = line('warn');
  return () => void Object.assign(target, { error, warn });
}
