/**
 * Expected failures, as data. A `Problem` travels as RFC 9457 `application/problem+json`; the interface picks
 * its sentence by the stable `code`. Bugs are thrown. Problems are returned, or thrown as a `ProblemError`
 * through code that cannot act on them.
 */
import type { Difference, Why } from './refusal';

/** Every expected kind of failure. A new code fails to compile until each table names it. */
export const problemCodes = [
  /** The state that the operator saw is out of date; `now` carries the present one. */
  'stale',
  /** The named session does not hold the lock or slot. */
  'not-held',
  /** No such lock, semaphore or session (or not visible with this credential). */
  'not-found',
  /** In the subject's state, this action would break its clients. */
  'conflict-in-use',
  /** The backend refused the credential for this call. */
  'forbidden',
  /** The credential is unknown to the backend, or has expired. */
  'signed-out',
  'invalid',
  /** The backend takes no write of this name. Nothing was written. */
  'unwritable',
  'read-only',
  'busy',
  /** The backend cannot be reached, or does not answer in time. Nothing was written. */
  'unavailable',
  /** The backend answers without a leader: it can neither write nor read consistently. */
  'no-leader',
  /** The link broke after a write was sent, so the write may have happened. Read again before you act again. */
  'unknown-result',
] as const;

export type ProblemCode = (typeof problemCodes)[number];

export interface Problem {
  readonly code: ProblemCode;
  /** Where more is known than the code. The interface makes the words. */
  readonly why?: Why | null;
  /** For `stale`. */
  readonly difference?: readonly Difference[];
  /**
   * English, for the log and for readers of JSON: the server's edge makes it from `why`. Screens show it only
   * where they do not know the `why`. Never holds a token or a raw error body.
   */
  readonly detail?: string;
}

const mark: unique symbol = Symbol.for('signalbox.problem-error') as never;

/** Carries a `Problem` up through code that cannot act on it. Keep the `cause`: the log shows it. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /**
   * Recognised by a mark, not by class: Next loads several copies of this file into one process. A route must
   * recognise a problem that another copy threw, or it would answer a refusal as a bug. A subclass needs a
   * check of its own, or it would match every problem.
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

export function isProblem(value: unknown): value is Problem {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    problemCodes.includes((value as Problem).code)
  );
}
