/**
 * What a reader without a sign-in may see, and for how long. A grant only ever narrows: it shows a part of what the
 * server itself sees, it can never write, and nothing outside of its scope is sent to whoever holds it.
 *
 * Two kinds: a share link is kept in the store and can be paused and revoked; a signed token is kept nowhere, holds its
 * scope itself, and ends soon.
 */

import type { Scope } from './grant-scope';
import type { Identity } from './identity';
import { type Subject, subjectId } from './model';

export type { Scope } from './grant-scope';

export const embedViews = ['board', 'lock', 'semaphore'] as const;
export type EmbedView = (typeof embedViews)[number];

/** Whether a lock or semaphore is in the scope. Sessions never are by themselves. */
export function covers(scope: Scope, subject: Subject): boolean {
  if (subject.kind === 'session') return false;
  if (scope.view === 'board')
    return (subject.kind === 'lock' ? subject.key : subject.prefix).startsWith(scope.prefix);
  return subjectId(subject) === subjectId(subjectOfScope(scope));
}

/** The lock or semaphore that a scope names. A board names none. */
export function subjectOfScope(scope: Exclude<Scope, { view: 'board' }>): Subject {
  return scope.view === 'lock'
    ? { kind: 'lock', key: scope.key }
    : { kind: 'semaphore', prefix: scope.prefix };
}

/** Key or prefix of a scope. */
export function scopeName(scope: Scope): string {
  return scope.view === 'lock' ? scope.key : scope.prefix;
}

/** A share link as it is kept. The secret is not here: the store has its digest alone. */
export interface Grant {
  readonly id: string;
  readonly scope: Scope;
  readonly madeBy: Identity;
  readonly madeAtMs: number;
  /** `null`: it does not end by itself. */
  readonly endsAtMs: number | null;
  readonly pausedAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** To the minute. `null`: never, as far as is known. */
  readonly usedAtMs: number | null;
}

export type GrantState = 'active' | 'paused' | 'ended' | 'revoked';

/** What a share link is worth at a moment. */
export function grantState(
  { endsAtMs, pausedAtMs, revokedAtMs }: Pick<Grant, 'endsAtMs' | 'pausedAtMs' | 'revokedAtMs'>,
  nowMs: number,
): GrantState {
  if (revokedAtMs !== null) return 'revoked';
  if (endsAtMs !== null && endsAtMs <= nowMs) return 'ended';
  return pausedAtMs === null ? 'active' : 'paused';
}

export const grantChanges = ['pause', 'resume', 'revoke'] as const;
export type GrantChange = (typeof grantChanges)[number];

/** A signed token lives no longer than this. */
export const tokenMsMax = 24 * 60 * 60 * 1000;
