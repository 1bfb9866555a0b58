/** Who opens a page of the console. Who may not look is sent to sign in, and back afterwards. */
import 'server-only';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { isProblem, ProblemError } from '@/lib/domain/problem';
import { type Caller, callerOf } from './caller';
import { runtime } from './runtime';

/** Set by `proxy.ts`, over whatever the client sent: pages are not told by Next at which address they are. */
const addressName = 'x-signalbox-address';

export async function pageCaller(): Promise<Caller> {
  const said = await headers();
  const caller = await callerOf(said, runtime()).catch((error: unknown) => {
    if (error instanceof ProblemError && error.problem.code === 'signed-out') return error.problem;
    throw error;
  });
  if (!isProblem(caller)) return caller;
  const address = said.get(addressName);
  redirect(address === null || address === '/' ? '/login' : `/login?next=${encodeURIComponent(address)}`);
}
