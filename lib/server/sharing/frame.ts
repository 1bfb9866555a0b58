/** Who may frame an embed: whom its grant names, and nobody while there is none that holds. */

import type { Scope } from '@/lib/domain/sharing/grant';
import type { Arrivals } from '@/lib/server/http/arrival';
import type { Limits } from '@/lib/server/http/limits';
import type { Grants } from '@/lib/server/sharing/grants';
import { shownBy } from './embed-credential';

const nobody = "'none'";

/**
 * The runtime of this process, if there is one by now; it is made by `instrumentation.ts`. `runtime.ts` itself would
 * bring the whole server into the bundle of the proxy.
 */
const place = globalThis as typeof globalThis & {
  [key: symbol]:
    | { readonly runtime: { readonly arrivals: Arrivals; readonly limits: Limits; readonly grants: Grants } }
    | undefined;
};
const runtimeName = Symbol.for('signalbox.runtime');

/** As `frame-ancestors` takes it. Without a port a source means the port of its scheme alone, so everybody is any port. */
export function sourcesOf({ frames }: Pick<Scope, 'frames'>): string {
  const sources = frames.flatMap((frame) => (frame === '*' ? ['https://*:*', 'http://*:*'] : [frame]));
  return sources.length === 0 ? nobody : sources.join(' ');
}

/** Sources for `frame-ancestors` of this request for an embed. */
export async function frameAncestors({ url, headers }: Pick<Request, 'url' | 'headers'>): Promise<string> {
  const present = place[runtimeName]?.runtime;
  if (present === undefined) return nobody;
  const { arrivals, limits, grants } = present;
  try {
    // Each look may ask the store, and anybody can make one.
    await limits.take('frame', { identity: { kind: 'anonymous' }, address: arrivals(headers).address });
    const grant = await grants.watch.open(shownBy(new URL(url).searchParams));
    return grant === null ? nobody : sourcesOf(grant.scope);
  } catch {
    // Asked too often, or the store is away and nobody knows what holds: the answer itself says so.
    return nobody;
  }
}
