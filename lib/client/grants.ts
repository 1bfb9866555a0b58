/** Expected failures come back as a `Problem`. */

import { isProblem, type Problem } from '@/lib/domain/problem';
import type { GrantChange, Scope, ShownGrant } from '@/lib/domain/sharing/grant';
import { call } from './call';
import { paths } from './paths';

export interface GrantList {
  /** The list has everyone's shares, not only this person's. */
  readonly whole: boolean;
  /** The public address; `null` where the operator did not set it. */
  readonly base: string | null;
  readonly grants: readonly ShownGrant[];
}

export interface NewGrant {
  readonly grant: ShownGrant;
  /** Path and query, with the secret, which the server never returns again. */
  readonly address: string;
  readonly base: string | null;
}

async function ask<T>(
  method: 'GET' | 'POST' | 'PATCH',
  body: unknown,
  key: string,
  signal: AbortSignal,
): Promise<T | Problem> {
  try {
    const { response, answer } = await call(paths.api.grants(), {
      method,
      ...(body === null ? {} : { body }),
      signal,
    });
    if (response.ok && typeof answer === 'object' && answer !== null && key in answer) return answer as T;
    if (isProblem(answer)) return answer;
    return { code: 'unavailable', why: { code: 'server-answered', facts: { status: response.status } } };
  } catch {
    signal.throwIfAborted();
    return { code: 'unavailable', why: { code: 'server-not-reached', facts: {} } };
  }
}

/** These calls reject only when `signal` aborts. */
export function listGrants(signal: AbortSignal): Promise<GrantList | Problem> {
  return ask('GET', null, 'grants', signal);
}

/** `lifeMs`: `null` for a link that never expires. */
export function createGrant(
  request: { readonly scope: Scope; readonly lifeMs: number | null },
  signal: AbortSignal,
): Promise<NewGrant | Problem> {
  return ask('POST', { kind: 'link', ...request }, 'address', signal);
}

export function changeGrant(
  request: { readonly id: string; readonly change: GrantChange },
  signal: AbortSignal,
): Promise<{ readonly grant: ShownGrant } | Problem> {
  return ask('PATCH', request, 'grant', signal);
}
