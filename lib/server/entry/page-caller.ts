/** The caller of a page. A caller who may not look goes to the sign-in page, and back afterwards. */
import 'server-only';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import type { Visitor } from '@/lib/domain/visitor';
import { visitorOf } from '@/lib/server/answers/session';
import { type Caller, type CallerRuntime, callerOf, guestOf } from '@/lib/server/identity/caller';
import { type Runtime, runtime } from '@/lib/server/runtime';

/** `proxy.ts` sets this header over any value of the client, because Next does not give pages their address. */
const addressName = 'x-signalbox-address';

/** A page costs more than any answer of the API. */
async function counted(
  requestHeaders: Headers,
  present: Pick<Runtime, 'limits'> & CallerRuntime,
): Promise<Caller> {
  const caller = await callerOf(requestHeaders, present);
  await present.limits.take('read', caller);
  return caller;
}

/**
 * Returns a problem that signing in does not solve, for the page to show. Thrown in a layout, it would reach no
 * boundary of ours.
 */
export async function pageCaller(): Promise<Caller | Problem> {
  const requestHeaders = await headers();
  const present = runtime();
  const caller = await counted(requestHeaders, present).catch((error: unknown) => {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  });
  if (!isProblem(caller) || caller.code !== 'signed-out') return caller;
  const address = requestHeaders.get(addressName);
  redirect(address === null || address === '/' ? '/login' : `/login?next=${encodeURIComponent(address)}`);
}

export interface PageSession {
  readonly visitor: Visitor;
  readonly problem: Problem | null;
}

/** The visitor of an unusable credential, such as a bearer token that a proxy adds. */
function unresolved({ why }: Problem): Visitor {
  const unseen = why ?? ({ code: 'sign-in-to-see', facts: {} } as const);
  return {
    identity: { kind: 'anonymous' },
    accessControl: 'on',
    maySee: false,
    why: unseen,
    writes: { allowed: false, reason: unseen },
    endsAtMs: null,
    idleEndsAtMs: null,
    tokenEndsAtMs: null,
  };
}

/** The session of any visitor. */
export async function pageSession(): Promise<PageSession> {
  const present = runtime();
  const requestHeaders = await headers();
  const problemOf = (error: unknown): Problem => {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  };
  const guest = await guestOf(requestHeaders, present).catch(problemOf);
  if (isProblem(guest)) return { visitor: unresolved(guest), problem: guest };
  const caller = await callerOf(requestHeaders, present).catch(problemOf);
  return { visitor: visitorOf(guest), problem: isProblem(caller) ? caller : null };
}
