/** Who opens a page of the console. Who may not look is sent to sign in, and back afterwards. */
import 'server-only';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import type { Visitor } from '@/lib/domain/visitor';
import { visitorOf } from '@/lib/server/answers/session';
import { type Caller, type CallerRuntime, callerOf, guestOf } from '@/lib/server/identity/caller';
import { type Runtime, runtime } from '@/lib/server/runtime';

/** Set by `proxy.ts`, over whatever the client sent: pages are not told by Next at which address they are. */
const addressName = 'x-signalbox-address';

/** A page draws the whole world on the server: it costs more than any answer of the API. */
async function counted(said: Headers, present: Pick<Runtime, 'limits'> & CallerRuntime): Promise<Caller> {
  const caller = await callerOf(said, present);
  await present.limits.take('read', caller);
  return caller;
}

/**
 * A problem that signing in does not mend (too many people are here, they ask too often, a header that is not understood) is returned, for
 * the page to say: thrown in a layout it would reach no boundary of ours, and a person would get a bare error.
 */
export async function pageCaller(): Promise<Caller | Problem> {
  const said = await headers();
  const present = runtime();
  const caller = await counted(said, present).catch((error: unknown) => {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  });
  if (!isProblem(caller) || caller.code !== 'signed-out') return caller;
  const address = said.get(addressName);
  redirect(address === null || address === '/' ? '/login' : `/login?next=${encodeURIComponent(address)}`);
}

export interface PageSession {
  readonly visitor: Visitor;
  /** Why no page can be shown to them now; `null`: one can. */
  readonly problem: Problem | null;
}

/** Somebody whose request presents what cannot be resolved, as where a proxy adds a bearer token of its own. */
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

/** Of anybody, whether they may look or not. */
export async function pageSession(): Promise<PageSession> {
  const present = runtime();
  const asked = await headers();
  const told = (error: unknown): Problem => {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  };
  const guest = await guestOf(asked, present).catch(told);
  if (isProblem(guest)) return { visitor: unresolved(guest), problem: guest };
  const caller = await callerOf(asked, present).catch(told);
  return { visitor: visitorOf(guest), problem: isProblem(caller) ? caller : null };
}
