/**
 * Joins sessions into clients. Each session is a client of its own, unless several entries name the same owner
 * outright. Names of sessions and nodes never join them.
 *
 * A fleet may share an owner too, and joining it would invent deadlocks. So an owner joins nothing when its sessions
 * cannot be one thread. They are not one thread when they
 * - wait for two things at once,
 * - hold and want the same semaphore,
 * - hold slots of one semaphore by two acquires (the sessions of one group count as one acquire), or
 * - run on two nodes.
 */

import { groupWritten, ownerWritten } from '@/lib/domain/contender-note';
import { type Party, type Semaphore, shortId } from '@/lib/domain/model';
import { partsOfName, rowName } from '@/lib/domain/source';

export interface Joined {
  /** Names of their rows, in order; at least one. */
  readonly sessions: readonly string[];
  readonly join: { readonly by: 'session' } | { readonly by: 'owner'; readonly owner: string };
  readonly label: string;
}

/** The label without the id that distinguishes equal names. */
export function bareLabel({ label, sessionId }: Pick<Party, 'label' | 'sessionId'>): string {
  const suffix = ` ${shortId(sessionId)}`;
  return label.endsWith(suffix) ? label.slice(0, -suffix.length) : label;
}

interface Entry {
  readonly sessionId: string;
  readonly prefix: string;
  readonly group: string;
  readonly node: string | null;
}

interface Deeds {
  readonly holding: Entry[];
  readonly waiting: Entry[];
}

/** Owners that hold something and wait for something. Comparing labels first is cheap. */
function deedsByOwner(semaphores: readonly Semaphore[]): Map<string, Deeds> {
  const waitingLabels = new Set<string>();
  for (const { waiters } of semaphores) for (const waiter of waiters) waitingLabels.add(bareLabel(waiter));
  const both = new Set<string>();
  for (const { holders } of semaphores)
    for (const holder of holders) if (waitingLabels.has(bareLabel(holder))) both.add(bareLabel(holder));

  const owners = new Map<string, Deeds>();
  const add = (role: keyof Deeds, semaphore: Semaphore, party: Party) => {
    if (!both.has(bareLabel(party))) return;
    const written = ownerWritten(party.value);
    if (written === null) return;
    const { source } = semaphore;
    const owner = rowName(source, written);
    const deeds = owners.get(owner) ?? { holding: [], waiting: [] };
    owners.set(owner, deeds);
    deeds[role].push({
      sessionId: rowName(source, party.sessionId),
      prefix: semaphore.prefix,
      group: groupWritten(party.value) ?? party.sessionId,
      node: party.session?.node ?? null,
    });
  };
  for (const semaphore of semaphores) {
    const { holders, waiters } = semaphore;
    for (const holder of holders) if (holder.verdict !== 'ghost') add('holding', semaphore, holder);
    for (const waiter of waiters) add('waiting', semaphore, waiter);
  }
  return owners;
}

function isOneThread({ holding, waiting }: Deeds): boolean {
  const [wait] = waiting;
  if (wait === undefined || holding.length === 0) return false;
  if (waiting.some(({ group, prefix }) => group !== wait.group || prefix !== wait.prefix)) return false;
  // An invisible node does not prove one process.
  if (wait.node === null || [...holding, ...waiting].some(({ node }) => node !== wait.node)) return false;
  const acquireOf = new Map<string, string>();
  for (const { prefix, group } of holding) {
    if (prefix === wait.prefix || (acquireOf.get(prefix) ?? group) !== group) return false;
    acquireOf.set(prefix, group);
  }
  return true;
}

/** Clients of several sessions. Any other session is its own client. */
export function joinSessions(semaphores: readonly Semaphore[]): Joined[] {
  const joined: Joined[] = [];
  const owned = new Map<string, number>();
  const candidates: { owner: string; sessions: string[] }[] = [];
  for (const [owner, deeds] of deedsByOwner(semaphores)) {
    if (!isOneThread(deeds)) continue;
    const sessions = [
      ...new Set([...deeds.holding, ...deeds.waiting].map(({ sessionId }) => sessionId)),
    ].sort();
    if (sessions.length < 2) continue;
    candidates.push({ owner, sessions });
    for (const id of sessions) owned.set(id, (owned.get(id) ?? 0) + 1);
  }
  // A session with two owners joins neither.
  for (const { owner, sessions } of candidates) {
    const { name } = partsOfName(owner);
    if (sessions.every((id) => owned.get(id) === 1))
      joined.push({ sessions, join: { by: 'owner', owner: name }, label: name });
  }
  return joined;
}
