/**
 * Turns the framework's console output into log lines. Next writes bare text, and prints errors with all their members,
 * past the guards that keep secrets out of the log.
 */
import { format, stripVTControlCharacters } from 'node:util';
import { errorFields, type Log } from './log';

/** A client that leaves during its request, which Next reports as a server error. */
const isLeaving = (error: unknown) =>
  error instanceof Error && error.message === 'aborted' && 'code' in error && error.code === 'ECONNRESET';

/** The returned function restores the console. */
export function logConsole(
  log: Pick<Log, 'debug' | 'warn' | 'error'>,
  target: Pick<Console, 'error' | 'warn'> = console,
): () => void {
  const { error, warn } = target;
  const line =
    (level: 'warn' | 'error') =>
    (...args: unknown[]) => {
      const failure = args.find((one) => one instanceof Error);
      const words = args.filter((one) => !(one instanceof Error));
      const text = stripVTControlCharacters(format(...words)).trim();
      if (isLeaving(failure)) log.debug(errorFields(failure), 'the client left');
      else log[level](failure === undefined ? {} : errorFields(failure), text || 'the framework failed');
    };
  target.error = line('error');
  target.warn = line('warn');
  return () => void Object.assign(target, { error, warn });
}
