/**
 * The server's log: one JSON object a line. A `ConsulError` keeps what the package threw as its cause, and that
 * holds the request's headers with the token; so errors are written by `errorFields` only, never as they are.
 */
import { type Logger, pino } from 'pino';
import { ProblemError } from '@/lib/domain/problem';

export type Log = Logger;

const secrets = ['token', 'authorization', 'headers', 'cookie', 'CONSUL_HTTP_TOKEN'];

/** A log that writes to standard error, so that it never mixes with what a script prints for people. */
export function createLog(level: string): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secrets.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}

/** What may be written of an error: message, code and status for what was expected, the stack for a bug. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (error instanceof ProblemError) {
    const status = 'status' in error ? error.status : undefined;
    return { problem: error.problem.code, message: error.message, status };
  }
  if (error instanceof Error) return { message: error.message, stack: error.stack };
  return { message: String(error) };
}
