/** Who opens a page, as its screen needs to know it. */
import 'server-only';
import { headers } from 'next/headers';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import type { Visitor } from '@/lib/domain/visitor';
import { visitorOf } from '@/lib/server/answers/session';
import { callerOf, guestOf } from '@/lib/server/identity/caller';
import { runtime } from '@/lib/server/runtime';

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
