/**
 * Expected failures, as data (RFC 9457 on the wire). The interface picks a sentence by `code`. A function returns a
 * problem, or throws it as a `ProblemError` through code that cannot act on it. Bugs are thrown.
 */
import type { Difference, Why } from './refusal';

/** A new code fails to compile until each table names it. */
export const problemCodes = [
  /** The operator saw a state that is out of date. `difference` names the changes, where they are known. */
  'stale',
  /** The named session does not hold the lock or slot. */
  'not-held',
  /** The subject does not exist, or this credential may not see it. */
  'not-found',
  /** The action would break clients of the subject, in its present state. */
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
  /** The backend can neither write nor read consistently. */
  'no-leader',
  /** The link broke after a write was sent. Read again before you act again. */
  'unknown-result',
] as const;

export type ProblemCode = (typeof problemCodes)[number];

export interface Problem {
  readonly code: ProblemCode;
  /** The reason, for which the interface has the words. */
  readonly why?: Why | null;
  /** The changes since the operator looked, for `stale`. */
  readonly difference?: readonly Difference[];
  /**
   * English words for the log and for readers of JSON, made at the server's edge. They never hold a token or a raw error
   * body.
   */
  readonly detail?: string;
}

const mark: unique symbol = Symbol.for('signalbox.problem-error') as never;

/** Carries a problem through code that cannot act on it. Keep the `cause`, because the log shows it. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /**
   * `instanceof` looks for a mark, not for the class. Next loads several copies of this file into one process, and a
   * problem of another copy would be answered as a bug. A subclass needs a check of its own.
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
