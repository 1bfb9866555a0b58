/** Holders and waiters: one session seen from one lock or semaphore, with its verdict and its usual name. */

import { type Party, type Since, type StoredValue, shortId } from '@/lib/domain/model';
import { jsonObject, oneLine, storedValue } from '@/lib/domain/seam/stored-value';
import { type HolderFacts, judge } from '@/lib/domain/verdict';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import type { KnownSession, ViewIndex } from './view';

const nameLengthMax = 64;
const ownerFields = ['owner', 'who', 'name', 'host'];

/** Names that libraries give to every session, so they identify none. */
const genericNames = new Set([
  '',
  'Consul API Lock',
  'Consul API Semaphore',
  'Vault Lock',
  'Consul-Template de-duplication',
]);

/** The command in a session's name (command/lock/lock.go), or `null`. */
export function consulLockCommand(sessionName: string): string | null {
  const match = /^Consul lock for '(.*)' at '.*'$/s.exec(sessionName);
  return match?.[1] || null;
}

function asName(value: unknown): string | null {
  return typeof value === 'string' && value.length <= nameLengthMax
    ? oneLine(value, nameLengthMax) || null
    : null;
}

/** The owner in the JSON of a contender's entry, or `null`. Letter case of field names does not matter. */
function ownerIn(value: Buffer): string | null {
  const members = jsonObject(value);
  if (members === null) return null;
  // As in Go, the last of several names that differ only in case counts.
  const names = Object.keys(members).reverse();
  for (const field of ownerFields) {
    const name = names.find((one) => one.length === field.length && one.toLowerCase() === field);
    const owner = name === undefined ? null : asName(members[name]);
    if (owner !== null) return owner;
  }
  return null;
}

function nameOf(session: KnownSession | null, subject: string): string | null {
  if (session === null) return null;
  const { name } = session.row;
  const command = consulLockCommand(name);
  if (command !== null) return oneLine(command, nameLengthMax) || null;
  // The Java article names its session after the key, which identifies no client.
  return genericNames.has(name) || name.endsWith(subject) ? null : asName(name);
}

/** One holder or waiter. `subject`: a key or prefix. */
export function party(
  index: ViewIndex,
  seen: {
    readonly subject: string;
    readonly sessionId: string;
    readonly recorded: boolean;
    readonly entry: HolderFacts['entry'];
    /** The entry that the session locks; `null`: none under its name. */
    readonly row: KvRow | null;
    readonly since: Since | null;
    readonly value?: StoredValue | null;
    /** A better name, from the layout of the lock. */
    readonly owner?: string | null;
  },
): Party {
  const session = index.session(seen.sessionId);
  const { row } = seen;
  // The getter decodes the value at each access.
  const bytes = row === null ? null : row.value;
  const { verdict, evidence, expiry } = judge({
    session:
      session === null
        ? null
        : {
            node: session.row.node,
            nodeStatus: session.nodeStatus,
            ttlMs: session.row.ttlMs,
            checks: session.checks,
          },
    onlyNodeChecks: session?.onlyNodeChecks ?? false,
    onServer: session?.onServer ?? false,
    recorded: seen.recorded,
    entry: seen.entry,
    entryKey: row === null || row.key === seen.subject ? null : row.key,
    renewing: index.view.renewals?.of(seen.sessionId) ?? null,
    nowMs: index.view.nowMs ?? 0,
  });
  return {
    sessionId: seen.sessionId,
    session: session?.shown ?? null,
    verdict,
    evidence,
    since: seen.since,
    expiry,
    value: bytes === null ? null : seen.value === undefined ? storedValue(bytes) : seen.value,
    label:
      seen.owner ||
      (bytes === null ? null : ownerIn(bytes)) ||
      nameOf(session, seen.subject) ||
      shortId(seen.sessionId),
  };
}
