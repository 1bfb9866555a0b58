/** Who opens a page of the console. Who may not look is sent to sign in, and back afterwards. */
import 'server-only';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { isProblem, ProblemError } from '@/lib/domain/problem';
import { type Caller, callerOf } from './caller';
import { runtime } from './runtime';

export async function pageCaller(): Promise<Caller> {
  const caller = await callerOf(await headers(), runtime()).catch((error: unknown) => {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  });
  if (isProblem(caller)) redirect('/login');
  return caller;
}
