/** Who opens a page, as its screen needs to know it. */
import 'server-only';
import { headers } from 'next/headers';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import type { Visitor } from '@/lib/domain/visitor';
import { callerOf, guestOf } from './caller';
import { runtime } from './runtime';
import { visitorOf } from './session';

export interface PageSession {
  readonly visitor: Visitor;
  /** Why no page can be shown to them now; `null`: one can. */
  readonly problem: Problem | null;
}

/** Of anybody, whether they may look or not. */
export async function pageSession(): Promise<PageSession> {
  const present = runtime();
  const asked = await headers();
  const guest = await guestOf(asked, present);
  const caller = await callerOf(asked, present).catch((error: unknown) => {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  });
  return { visitor: visitorOf(guest), problem: isProblem(caller) ? caller : null };
}
