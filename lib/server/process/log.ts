/**
 * The server's log: one JSON object a line. A `ConsulError` has the package's error as its cause, with the request's
 * headers and token, so only `errorFields` may write errors.
 */
import { type Logger, pino } from 'pino';
import { ProblemError } from '@/lib/domain/problem';
import { createScrub } from './scrub';

export type Log = Logger;

/** Never written, whatever a caller passes: credentials, and the stored values of clients. */
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
 * Writes to standard error, so that the log never mixes with a script's output. `secrets` are removed from every line,
 * as a library may put one into its message (`scrub.ts`).
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
      // pino would write `err` with all its members.
      serializers: { err: errorFields, error: errorFields },
      redact: { paths: hidden.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
      hooks: { streamWrite: createScrub(secrets) },
    },
    write === undefined ? pino.destination({ dest: 2, sync: true }) : { write },
  );
}

/** Message, code and status of an expected error, the stack of a bug. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (error instanceof ProblemError) {
    const status = 'status' in error ? error.status : undefined;
    return { problem: error.problem.code, message: error.message, status };
  }
  if (error instanceof Error) return { message: error.message, stack: error.stack };
  return { message: String(error) };
}
