/** Allows the frames that the grant names, and none without a valid grant. */

import type { Scope } from '@/lib/domain/sharing/grant';
import type { Arrivals } from '@/lib/server/http/arrival';
import type { Limits } from '@/lib/server/http/limits';
import type { Grants } from '@/lib/server/sharing/grants';
import { shownBy } from './embed-credential';

const noneSource = "'none'";

/** An import of `runtime.ts` would pull the whole server into the proxy's bundle. */
const place = globalThis as typeof globalThis & {
  [key: symbol]:
    | { readonly runtime: { readonly arrivals: Arrivals; readonly limits: Limits; readonly grants: Grants } }
    | undefined;
};
const runtimeName = Symbol.for('signalbox.runtime');

/** A source without a port means its scheme's default port, so `*` names any port. */
export function sourcesOf({ frames }: Pick<Scope, 'frames'>): string {
  const sources = frames.flatMap((frame) => (frame === '*' ? ['https://*:*', 'http://*:*'] : [frame]));
  return sources.length === 0 ? noneSource : sources.join(' ');
}

export async function frameAncestors({ url, headers }: Pick<Request, 'url' | 'headers'>): Promise<string> {
  const present = place[runtimeName]?.runtime;
  if (present === undefined) return noneSource;
  const { arrivals, limits, grants } = present;
  try {
    // Each check may query the store, and needs no sign-in.
    await limits.take('frame', { identity: { kind: 'anonymous' }, address: arrivals(headers).address });
    const grant = await grants.watch.open(shownBy(new URL(url).searchParams));
    return grant === null ? noneSource : sourcesOf(grant.scope);
  } catch {
    // The answer itself states the problem.
    return noneSource;
  }
}
