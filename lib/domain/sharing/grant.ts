/**
 * What a reader without a sign-in may see, and for how long. A grant only ever narrows: it shows a part of what its maker may
 * see at that moment, it can never write, and nothing outside of its scope is sent to whoever holds it.
 *
 * Two kinds: a share link is kept in the store and can be paused and revoked; a signed token is kept nowhere, holds its
 * scope itself, and ends soon. Where the backend asks for credentials a signed token names a share link, and shows no more than
 * that one does.
 */

import type { Identity } from '@/lib/domain/identity';
import { type Subject, subjectId, subjectName } from '@/lib/domain/model';
import { lockSubject, semaphoreSubject } from '@/lib/domain/subject';
import type { Scope } from './grant-scope';

export type { Scope } from './grant-scope';

export const embedViews = ['board', 'lock', 'semaphore'] as const;
export type EmbedView = (typeof embedViews)[number];

/** Whether a lock or semaphore is in the scope. Sessions never are by themselves. */
export function covers(scope: Scope, subject: Subject): boolean {
  if (subject.kind === 'session') return false;
  if (scope.view === 'board')
    return subject.source === scope.source && subjectName(subject).startsWith(scope.prefix);
  return subjectId(subject) === subjectId(subjectOfScope(scope));
}

/** The lock or semaphore that a scope names. A board names none. */
export function subjectOfScope(scope: Exclude<Scope, { view: 'board' }>): Subject {
  return scope.view === 'lock' ? lockSubject(scope) : semaphoreSubject(scope);
}

/** Key or prefix of a scope. */
export function scopeName(scope: Scope): string {
  return scope.view === 'lock' ? scope.key : scope.prefix;
}

/**
 * What is left of `inner` within `outer`; `null`: it reaches beyond. Frames are its own: they say who may show it, not what is
 * shown.
 */
export function scopeWithin(inner: Scope, outer: Scope): Scope | null {
  if (inner.source !== outer.source) return null;
  const isWithin =
    outer.view === 'board'
      ? scopeName(inner).startsWith(outer.prefix)
      : inner.view === outer.view && scopeName(inner) === scopeName(outer);
  if (!isWithin) return null;
  return { ...inner, values: inner.values && outer.values, sessions: inner.sessions && outer.sessions };
}

/** A share link as it is kept. Its secret and its maker's token are not here. */
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
  /** When the backend will forget its maker's token. `null`: never, or it does not say. */
  readonly tokenEndsAtMs: number | null;
  /** When the backend was found to have forgotten it. */
  readonly lostAtMs: number | null;
}

export type GrantState = 'active' | 'paused' | 'ended' | 'revoked';

/**
 * Why a share link is paused or has ended, where no person and no date wanted that. `no-token`: its maker's token is not kept. `unreadable`: it
 * was sealed with a key that this server does not have. `token-gone`: the backend has forgotten it. `server-narrow`: the server's
 * own token may not read everything, so that nothing can be cut to the rights of another.
 */
export type GrantCause = 'no-token' | 'unreadable' | 'token-gone' | 'server-narrow';

/** A share link as it is listed. */
export type ShownGrant = Grant & { readonly state: GrantState; readonly cause: GrantCause | null };

/** What a share link is worth at a moment. */
export function grantState(
  grant: Pick<Grant, 'endsAtMs' | 'pausedAtMs' | 'revokedAtMs' | 'tokenEndsAtMs' | 'lostAtMs'>,
  nowMs: number,
): GrantState {
  if (grant.revokedAtMs !== null) return 'revoked';
  if ((grant.endsAtMs !== null && grant.endsAtMs <= nowMs) || isTokenGone(grant, nowMs)) return 'ended';
  return grant.pausedAtMs === null ? 'active' : 'paused';
}

/** The backend has forgotten the token with whose rights it was shown. */
export function isTokenGone(
  { tokenEndsAtMs, lostAtMs }: Pick<Grant, 'tokenEndsAtMs' | 'lostAtMs'>,
  nowMs: number,
): boolean {
  return lostAtMs !== null || (tokenEndsAtMs !== null && tokenEndsAtMs <= nowMs);
}

export const grantChanges = ['pause', 'resume', 'revoke'] as const;
export type GrantChange = (typeof grantChanges)[number];

/** A signed token lives no longer than this. */
export const tokenMsMax = 24 * 60 * 60 * 1000;
