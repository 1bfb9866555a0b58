/**
 * The server's log: one JSON object a line. A `ConsulError` keeps what the package threw as its cause, and that
 * holds the request's headers with the token; so errors are written by `errorFields` only, never as they are.
 */
import { type Logger, pino } from 'pino';
import { ProblemError } from '@/lib/domain/problem';
import { createScrub } from './scrub';

export type Log = Logger;

/** Fields that are never written, whatever a caller passes: credentials, and what clients store under a key. */
const hidden = [
  'token',
  'secret',
  'password',
  'authorization',
  'headers',
  'cookie',
  'value',
  'body',
  'request',
  'response',
  'CONSUL_HTTP_TOKEN',
];

/**
 * A log that writes to standard error, so that it never mixes with what a script prints for people. `secrets`: taken out of
 * every line, should a library have put one into its message (`scrub.ts`).
 */
export function createLog(
  level: string,
  { secrets = [], write }: { secrets?: readonly string[]; write?: (line: string) => void } = {},
): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // pino writes whatever stands under `err` with all that hangs on it.
      serializers: { err: errorFields, error: errorFields },
      redact: { paths: hidden.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
      hooks: { streamWrite: createScrub(secrets) },
    },
    write === undefined ? pino.destination({ dest: 2, sync: true }) : { write },
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
