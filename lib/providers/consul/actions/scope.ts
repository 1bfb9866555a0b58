/**
 * The string prefixes that decide what an action's subject is, and how it shows. In a large store, recognition takes
 * most of an action's time and reading takes the next part, so both stay within these.
 */

import type { Subject } from '@/lib/domain/model';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { coordinationName, isSessionId, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';

export type ReadScope = readonly string[];

/** Most prefixes. Beyond this, reading everything costs less. */
export const scopeMax = 8;

/** The scope of one lock or semaphore. The scope of a session is what it holds (`holdingsScope`). */
export function scopeOf(subject: Subject): ReadScope {
  if (subject.kind === 'session') return [];
  // The client library reads a semaphore by its string prefix.
  return subject.kind === 'lock' ? lockScope(subject.key) : [subject.prefix];
}

/** The lock, with the records beside it that decide its layout. */
function lockScope(key: string): ReadScope {
  const slash = key.lastIndexOf('/');
  // A key with a session's name may be a contender entry, and the coordination entry decides.
  if (slash > 0 && isSessionId(key.slice(slash + 1)))
    return [key, `${key.slice(0, slash + 1)}${coordinationName}`];
  // Terraform's record begins with the key itself. Patroni's member records do not.
  return key.endsWith('/leader') ? [key, `${key.slice(0, -'leader'.length)}members/`] : [key];
}

/** The scope of everything that the session locks in `rows`, and `also`. */
export function holdingsScope(rows: readonly KvRow[], sessionId: string, also: ReadScope): ReadScope {
  const scope = new Set(also);
  for (const { key, session, flags } of rows) {
    if (session !== sessionId) continue;
    const slash = key.lastIndexOf('/');
    // The name or the flags may mark a contender entry. Any other key is a lock.
    const contends = slash > 0 && (key.slice(slash + 1) === sessionId || flags === semaphoreFlags);
    for (const prefix of contends ? [key.slice(0, slash)] : lockScope(key)) scope.add(prefix);
  }
  return [...scope];
}

export const within = (scope: ReadScope) => (row: KvRow) =>
  scope.some((prefix) => row.key.startsWith(prefix));
