/**
 * Which sessions are one client. A session is one by itself. Several are one only where their entries say so: each
 * names the same owner outright. Never by the name of a session or of its node.
 *
 * A fleet may share one owner too, and then joining it would invent deadlocks, so an owner joins nothing when what it
 * does cannot be one thread of work: when it waits for two things at once, holds and wants the same semaphore, holds
 * slots of one semaphore by two acquires, or is seen on two nodes. Sessions of one group (one acquire of several
 * slots) count as one acquire.
 */
import { type Party, type Semaphore, shortId } from '@/lib/domain/model';
import { groupWritten, ownerWritten } from '@/lib/domain/written';

export interface Joined {
  /** In order; at least one. */
  readonly sessions: readonly string[];
  /** How it is known that they are one. */
  readonly join: { readonly by: 'session' } | { readonly by: 'owner'; readonly owner: string };
  readonly label: string;
}

/** A label without the id that tells apart those who share a name. */
export function bareLabel({ label, sessionId }: Pick<Party, 'label' | 'sessionId'>): string {
  const suffix = ` ${shortId(sessionId)}`;
  return label.endsWith(suffix) ? label.slice(0, -suffix.length) : label;
}

/** One entry of somebody who names an owner. */
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

/** Owners that hold something and wait for something. The label tells cheaply who may be one. */
function deedsByOwner(semaphores: readonly Semaphore[]): Map<string, Deeds> {
  const waitingLabels = new Set<string>();
  for (const { waiters } of semaphores) for (const waiter of waiters) waitingLabels.add(bareLabel(waiter));
  const both = new Set<string>();
  for (const { holders } of semaphores)
    for (const holder of holders) if (waitingLabels.has(bareLabel(holder))) both.add(bareLabel(holder));

  const owners = new Map<string, Deeds>();
  const add = (role: keyof Deeds, prefix: string, party: Party) => {
    if (!both.has(bareLabel(party))) return;
    const owner = ownerWritten(party.value);
    if (owner === null) return;
    const deeds = owners.get(owner) ?? { holding: [], waiting: [] };
    owners.set(owner, deeds);
    deeds[role].push({
      sessionId: party.sessionId,
      prefix,
      group: groupWritten(party.value) ?? party.sessionId,
      node: party.session?.node ?? null,
    });
  };
  for (const { prefix, holders, waiters } of semaphores) {
    for (const holder of holders) if (holder.verdict !== 'ghost') add('holding', prefix, holder);
    for (const waiter of waiters) add('waiting', prefix, waiter);
  }
  return owners;
}

function isOneThread({ holding, waiting }: Deeds): boolean {
  const [wait] = waiting;
  if (wait === undefined || holding.length === 0) return false;
  if (waiting.some(({ group, prefix }) => group !== wait.group || prefix !== wait.prefix)) return false;
  // A node that is not visible does not speak for one process.
  if (wait.node === null || [...holding, ...waiting].some(({ node }) => node !== wait.node)) return false;
  const acquireOf = new Map<string, string>();
  for (const { prefix, group } of holding) {
    if (prefix === wait.prefix || (acquireOf.get(prefix) ?? group) !== group) return false;
    acquireOf.set(prefix, group);
  }
  return true;
}

/** Clients of several sessions. A session that is not in one of them is a client by itself. */
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
  // A session that goes by two owners joins neither.
  for (const { owner, sessions } of candidates)
    if (sessions.every((id) => owned.get(id) === 1))
      joined.push({ sessions, join: { by: 'owner', owner }, label: owner });
  return joined;
}
