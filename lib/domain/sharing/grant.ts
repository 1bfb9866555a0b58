/**
 * The view of a reader without a sign-in, and its time. A grant shows a part of its maker's present view, can never
 * write, and sends nothing outside its scope.
 *
 * A share link is stored and can be paused and revoked. A signed token is not stored, holds its scope itself, and ends
 * soon. Where the backend asks for credentials, a signed token names a share link, and shows no more.
 */

import type { Identity } from '@/lib/domain/identity';
import { type Subject, subjectId, subjectName } from '@/lib/domain/model';
import { lockSubject, semaphoreSubject } from '@/lib/domain/subject';
import type { Scope } from './grant-scope';

export type { Scope } from './grant-scope';

export const embedViews = ['board', 'lock', 'semaphore'] as const;
export type EmbedView = (typeof embedViews)[number];

/** Sessions are never in a scope alone. */
export function covers(scope: Scope, subject: Subject): boolean {
  if (subject.kind === 'session') return false;
  if (scope.view === 'board')
    return subject.source === scope.source && subjectName(subject).startsWith(scope.prefix);
  return subjectId(subject) === subjectId(subjectOfScope(scope));
}

/** A board names none. */
export function subjectOfScope(scope: Exclude<Scope, { view: 'board' }>): Subject {
  return scope.view === 'lock' ? lockSubject(scope) : semaphoreSubject(scope);
}

export function scopeName(scope: Scope): string {
  return scope.view === 'lock' ? scope.key : scope.prefix;
}

/** Longest history of a share of a lock or semaphore. */
export const historyMs = 24 * 60 * 60 * 1000;

export const hasHistory = (scope: Scope): boolean => scope.view !== 'board' && scope.history === true;

/** The part of `inner` within `outer`, with the frames of `inner`; `null`: it reaches beyond. */
export function scopeWithin(inner: Scope, outer: Scope): Scope | null {
  if (inner.source !== outer.source) return null;
  const isWithin =
    outer.view === 'board'
      ? scopeName(inner).startsWith(outer.prefix)
      : inner.view === outer.view && scopeName(inner) === scopeName(outer);
  if (!isWithin) return null;
  const common = { values: inner.values && outer.values, sessions: inner.sessions && outer.sessions };
  if (inner.view === 'board' || hasHistory(outer)) return { ...inner, ...common };
  const { history: _, ...rest } = inner;
  return { ...rest, ...common };
}

/** Without its secret and its maker's token. */
export interface Grant {
  readonly id: string;
  readonly scope: Scope;
  readonly madeBy: Identity;
  readonly madeAtMs: number;
  /** `null`: no end. */
  readonly endsAtMs: number | null;
  readonly pausedAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** The last use, to the minute. `null`: none known. */
  readonly usedAtMs: number | null;
  /** `null`: never, or unknown. */
  readonly tokenEndsAtMs: number | null;
  /** The instant at which the backend was found to have forgotten the token. */
  readonly lostAtMs: number | null;
}

export type GrantState = 'active' | 'paused' | 'ended' | 'revoked';

/**
 * The cause of a pause or an end that no person wished. `no-token`: its maker's token is not kept. `unreadable`: it was
 * sealed with a key that this server does not have. `token-gone`: the backend has forgotten it. `server-narrow`: the
 * server's own token may not read everything, so nothing can be cut to another's rights.
 */
export type GrantCause = 'no-token' | 'unreadable' | 'token-gone' | 'server-narrow';

export type ShownGrant = Grant & { readonly state: GrantState; readonly cause: GrantCause | null };

/** The state of a share link at a moment. */
export function grantState(
  grant: Pick<Grant, 'endsAtMs' | 'pausedAtMs' | 'revokedAtMs' | 'tokenEndsAtMs' | 'lostAtMs'>,
  nowMs: number,
): GrantState {
  if (grant.revokedAtMs !== null) return 'revoked';
  if ((grant.endsAtMs !== null && grant.endsAtMs <= nowMs) || isTokenGone(grant, nowMs)) return 'ended';
  return grant.pausedAtMs === null ? 'active' : 'paused';
}

/** The backend has forgotten its maker's token. */
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
