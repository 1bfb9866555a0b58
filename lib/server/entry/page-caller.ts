/** Who opens a page of the console. Who may not look is sent to sign in, and back afterwards. */
import 'server-only';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { isProblem, type Problem, ProblemError } from '@/lib/domain/problem';
import { type Caller, type CallerRuntime, callerOf } from '@/lib/server/identity/caller';
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
