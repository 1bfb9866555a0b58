/**
 * Expected failures, as data. A `Problem` travels as RFC 9457 `application/problem+json`; its `code` is stable
 * and is what the interface chooses its sentence by. Bugs are thrown; problems are returned, or thrown as a
 * `ProblemError` where a return value would have to be threaded through code that cannot act on it.
 */
import type { Difference, Why } from './refusal';

/** Every way in which something expected can fail. A new code fails to compile until each table names it. */
export const problemCodes = [
  /** What the operator saw no longer holds; `now` carries the present state. */
  'stale',
  /** The lock or slot is not held by the session named. */
  'not-held',
  /** No such lock, semaphore or session (or not visible with this credential). */
  'not-found',
  /** The subject is in a state in which this action would break its clients. */
  'conflict-in-use',
  /** The backend refused the credential for this call. */
  'forbidden',
  /** The credential is unknown to the backend, or has expired. */
  'signed-out',
  /** The request is not well-formed. */
  'invalid',
  /** The backend takes no write of this name. Nothing was written. */
  'unwritable',
  /** Writes are switched off here. */
  'read-only',
  /** Too many requests; try again later. */
  'busy',
  /** The backend cannot be reached, or does not answer in time. Nothing was written. */
  'unavailable',
  /** The backend answers but has no leader: it can neither write nor read consistently. */
  'no-leader',
  /** The link broke after a write was sent: it may or may not have happened. Read again before you act again. */
  'unknown-result',
] as const;

export type ProblemCode = (typeof problemCodes)[number];

export interface Problem {
  readonly code: ProblemCode;
  /** What happened, where more is known than the code says. The words are made where a person reads them. */
  readonly why?: Why | null;
  /** For `stale`: what differs from what the operator saw. */
  readonly difference?: readonly Difference[];
  /**
   * English, for the log and for those who read JSON: the server's edge makes it from `why`. No screen shows it where
   * there is a `why` that it knows. Never holds a token or a raw error body.
   */
  readonly detail?: string;
}

const mark: unique symbol = Symbol.for('signalbox.problem-error') as never;

/** A `Problem` on its way up through code that cannot act on it. Keep the `cause`: it is what the log shows. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /**
   * By a mark, not by the class: Next loads several copies of this file into one process, and what one copy throws
   * (the limits, a viewpoint) another has to know (a route), or a refusal would be answered as a bug. A class below this
   * one says by what it is known, or every problem would be one of it.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && mark in value;
  }
  readonly [mark] = true;
  constructor(
    readonly problem: Problem,
    options?: { cause?: unknown },
  ) {
    super(messageOf(problem), options);
  }
}

function messageOf({ code, why, detail }: Problem): string {
  if (detail !== undefined) return `${code}: ${detail}`;
  return why == null ? code : `${code}: ${why.code} ${JSON.stringify(why.facts)}`;
}

/** True for a returned `Problem`, false for any other value that a function may return beside it. */
export function isProblem(value: unknown): value is Problem {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    problemCodes.includes((value as Problem).code)
  );
}
