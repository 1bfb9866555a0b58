/**
 * What an action is about, as string prefixes: outside of them nothing decides what its subject is, nor how it is shown.
 * To recognise the whole store anew takes most of an action's time where thousands of keys are, and to read it the next.
 */

import type { Subject } from '@/lib/domain/model';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { coordinationName, isSessionId, semaphoreFlags } from '@/lib/providers/consul/rows/coordination';

export type ReadScope = readonly string[];

/** With more prefixes it costs less to read everything. */
export const scopeMax = 8;

/** The scope of one lock or semaphore; of a session it is what it holds (`holdingsScope`). */
export function scopeOf(subject: Subject): ReadScope {
  if (subject.kind === 'session') return [];
  // Of a semaphore the string prefix, which is what the client library looks at.
  return subject.kind === 'lock' ? lockScope(subject.key) : [subject.prefix];
}

/** With the records beside a lock by which it, or its layout, is told. */
function lockScope(key: string): ReadScope {
  const slash = key.lastIndexOf('/');
  // Named as a session it may be the contender of a semaphore, which mostly the coordination entry says.
  if (slash > 0 && isSessionId(key.slice(slash + 1)))
    return [key, `${key.slice(0, slash + 1)}${coordinationName}`];
  // That of Terraform begins with the key itself; those of Patroni's members do not.
  return key.endsWith('/leader') ? [key, `${key.slice(0, -'leader'.length)}members/`] : [key];
}

/** The scope of everything that the session locks in `rows`, and `also`. */
export function holdingsScope(rows: readonly KvRow[], sessionId: string, also: ReadScope): ReadScope {
  const scope = new Set(also);
  for (const { key, session, flags } of rows) {
    if (session !== sessionId) continue;
    const slash = key.lastIndexOf('/');
    // By its name or its flags it may belong to a semaphore; any other key is a lock, whatever is beside it.
    const contends = slash > 0 && (key.slice(slash + 1) === sessionId || flags === semaphoreFlags);
    for (const prefix of contends ? [key.slice(0, slash)] : lockScope(key)) scope.add(prefix);
  }
  return [...scope];
}

/** Whether a row is in the scope. */
export const within = (scope: ReadScope) => (row: KvRow) =>
  scope.some((prefix) => row.key.startsWith(prefix));
