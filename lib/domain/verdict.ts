/**
 * The verdict on a holder, with its evidence. Pure: the provider gathers the facts, and `judge` weighs them.
 *
 * The most certain question comes first: do the entries show that a recorded holder locks anything? All others are
 * about its session. An invisible session proves nothing, so a missing row is "not visible", never "dead".
 */
import type { Evidence, EvidenceCode, Expiry, Session, Verdict } from './model';
import { type Phase, phaseOf, type Renewing } from './renewal';

/** Everything that decides on one holder or waiter. */
export interface HolderFacts {
  /** `null`: not visible. */
  readonly session: Pick<Session, 'node' | 'nodeStatus' | 'ttlMs' | 'checks'> | null;
  /** Nothing but a TTL and the health of its node can end the session. */
  readonly onlyNodeChecks: boolean;
  /**
   * Without agents beside the programs (Kubernetes), Consul binds a session to the server that received the request, so
   * that node says nothing about the holder.
   */
  readonly onServer: boolean;
  /** A semaphore's record names the session as a holder. False for the holder of a lock and for a waiter. */
  readonly recorded: boolean;
  /**
   * Does the session lock an entry where a holder must?
   * - `none` needs every place in view; with a hidden one the answer is `not-in-view`.
   * - A program with other rules proves nothing by its locks. Its answer is `no-session` when the recorded name is no
   *   session's, and `may-live` when its session exists or is not known to have ended.
   */
  readonly entry: 'locked' | 'none' | 'not-in-view' | 'no-session' | 'may-live';
  /** Key of that entry; `null`: the subject itself. */
  readonly entryKey: string | null;
  /** `null`: this view does not look for renewals. */
  readonly renewing: Renewing | null;
  /** Time turns a silence into a verdict. */
  readonly nowMs: number;
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly evidence: readonly Evidence[];
  readonly expiry: Expiry;
}

/**
 * Judges one holder, or one waiter's session.
 * - `ghost`: the entries alone show that it locks nothing.
 * - `unknown`: a needed fact is not visible.
 * - `overdue`: its renewals were seen and have stopped (`renewal.ts`).
 * - `suspect`: its node or a check of its session fails.
 * - `immortal`, `node-bound`: it would hold on after the death of its process.
 * - `alive`: none of these.
 */
export function judge(facts: HolderFacts): Judgement {
  const { session, renewing, nowMs } = facts;
  const ttlMs = session?.ttlMs ?? null;
  const unseen: Phase = { phase: 'unseen', fromMs: null, latestMs: null, nextMs: null };
  const phase = ttlMs === null || renewing === null ? unseen : phaseOf(ttlMs, renewing, nowMs);
  return {
    verdict: verdictOf(facts, phase),
    evidence: factsOf([...entryEvidence(facts), ...sessionEvidence(facts, phase)]),
    expiry: expiryOf(facts, phase),
  };
}

function verdictOf({ session, onlyNodeChecks, onServer, entry }: HolderFacts, { phase }: Phase): Verdict {
  if (entry === 'none') return 'ghost';
  if (entry !== 'locked' || session === null) return 'unknown';
  const { nodeStatus, checks, ttlMs } = session;
  // Silence is about the process itself and has an end; a check may be about its node only, and has none.
  if (phase === 'overdue') return 'overdue';
  // A server's health says nothing about the holder's machine.
  if (!onServer && (nodeStatus === 'critical' || nodeStatus === 'gone')) return 'suspect';
  if (checks.some((check) => check.status === 'critical')) return 'suspect';
  // "Its checks pass" is part of being alive, and an unreadable check does not show that.
  if (checks.some((check) => check.status === 'unknown')) return 'unknown';
  if (ttlMs !== null) return 'alive';
  if (checks.length === 0) return 'immortal';
  return onlyNodeChecks ? 'node-bound' : 'alive';
}

/** The evidence of the entries. */
function entryEvidence({ recorded, entry, entryKey }: HolderFacts): Evidence[] {
  const evidence = recorded ? [fact('recorded-as-holder')] : [];
  if (entry === 'locked') evidence.push(fact('holds-entry', entryKey));
  else if (entry === 'no-session') evidence.push(fact('name-of-no-session'));
  else if (entry === 'not-in-view') evidence.push(fact('view-incomplete'));
  else {
    evidence.push(fact('no-entry-locked'));
    if (entry === 'may-live') evidence.push(fact('may-need-no-entry'));
  }
  return evidence;
}

/** The evidence of the session, its node, its checks and its renewals. */
function sessionEvidence(facts: HolderFacts, phase: Phase): Evidence[] {
  const { session, onlyNodeChecks, onServer, entry } = facts;
  if (entry === 'no-session') return [];
  // Consul clears an entry when its session ends, so only a session without one may be gone.
  const mayBeGone = entry === 'none' || entry === 'may-live';
  if (session === null) return [fact(mayBeGone ? 'session-not-listed' : 'session-not-visible')];
  const { ttlMs, checks, node, nodeStatus } = session;
  const evidence = [fact('session-exists')];
  evidence.push(ttlMs === null ? fact('no-ttl') : fact('ttl', `${ttlMs / 1000}s`));
  evidence.push(fact(`node-${nodeStatus}` as const, node));
  // Time ends a session with a TTL, so missing checks are no evidence.
  if (checks.length === 0 && ttlMs === null) evidence.push(fact('no-checks'));
  else if (onlyNodeChecks) evidence.push(fact('node-checks-only', node));
  if (onServer)
    evidence.push(fact(onlyNodeChecks && ttlMs === null ? 'bound-to-server' : 'server-node', node));
  for (const check of checks)
    if (check.status !== 'passing') evidence.push(fact(`check-${check.status}` as const, check.name));
  if (checks.length > 0 && checks.every((check) => check.status === 'passing'))
    evidence.push(fact('checks-passing', checks.map((check) => check.name).join(', ')));
  if (ttlMs !== null) evidence.push(...renewalEvidence(facts, ttlMs, phase));
  return evidence;
}

/** The evidence of its renewals. A renewal on time keeps moving, so `World.renewals` has its instant. */
function renewalEvidence(
  { renewing }: HolderFacts,
  ttlMs: number,
  { phase, fromMs, latestMs }: Phase,
): Evidence[] {
  if (renewing === null || renewing.seen === null)
    return [fact('renewals-not-observed', renewing?.why ?? null)];
  const { lastMs, agents, elsewhereAtMs } = renewing.seen;
  const { restartedMs } = renewing;
  const restart =
    restartedMs !== null && restartedMs > lastMs ? [fact('timers-restarted', null, restartedMs)] : [];
  switch (phase) {
    case 'broken':
    case 'unseen':
      return [fact('renewal-observed', agents, lastMs), fact('renewals-not-observed', renewing.why)];
    case 'elsewhere':
      return [fact('renewal-observed', agents, lastMs), fact('renewals-elsewhere', null, elsewhereAtMs)];
    case 'overdue': {
      const dueMs = fromMs === null || latestMs === null ? null : fromMs + ttlMs;
      return [fact('renewal-observed', agents, lastMs), ...restart, fact('renewal-overdue', null, dueMs)];
    }
    case 'on-time':
      return [fact('renewal-observed', agents), ...restart];
  }
}

/**
 * The end of the holder if its process is dead. A TTL bounds it by two TTLs from the last renewal
 * (`SessionTTLMultiplier` in Consul's leader, session_ttl.go). A leader election restarts that clock. Without observed
 * renewals there is no latest instant, because the bound slides. A ghost's slot waits for a client that prunes, so it
 * has no end. The same holds where the record alone may be the whole lock.
 */
function expiryOf({ session, onlyNodeChecks, entry, renewing }: HolderFacts, phase: Phase): Expiry {
  if (session === null || entry === 'none' || entry === 'may-live') return expiry('unknown');
  if (session.ttlMs !== null) {
    const bounded = expiry('bounded', 2 * session.ttlMs);
    if (phase.phase === 'on-time') return expiry('observed', bounded.withinMs);
    if (phase.phase !== 'overdue') return bounded;
    const { latestMs } = phase;
    return { ...bounded, kind: 'observed', latestMs, lastRenewalMs: renewing?.seen?.lastMs ?? null };
  }
  if (session.checks.length === 0) return expiry('never');
  // A service check may watch the process itself; how fast it fails is unknown.
  return expiry(onlyNodeChecks ? 'with-node' : 'unknown');
}

/*
 * Shared objects. Tens of thousands of holders have only a few hundred different facts, lists of facts and expiries.
 * Copies would be most of a world's memory, so equal ones are one object, up to `sharedMax` of each kind.
 */
const sharedMax = 4_096;
const shared = new Map<EvidenceCode, Map<string | null, Evidence>>();
let sharedCount = 0;

/** An instant or a key hardly occurs twice. */
const isUnique = ({ code, detail, atMs }: Evidence) =>
  atMs !== null || (code === 'holds-entry' && detail !== null);

/** A piece of evidence, with the source that `code` implies. Equal facts may be one object. */
export function fact(code: EvidenceCode, detail: string | null = null, atMs: number | null = null): Evidence {
  const known = atMs === null ? shared.get(code)?.get(detail) : undefined;
  if (known !== undefined) return known;
  const fresh: Evidence = { code, source: sourceOf[code], detail, atMs };
  if (isUnique(fresh)) return fresh;
  if (sharedCount >= sharedMax) {
    shared.clear();
    sharedCount = 0;
  }
  const ofCode = shared.get(code) ?? new Map<string | null, Evidence>();
  shared.set(code, ofCode.set(detail, fresh));
  sharedCount += 1;
  return fresh;
}

/** A node of the tree of shared lists: each step down adds one fact. */
interface ListNode {
  readonly facts: readonly Evidence[];
  readonly next: Map<Evidence, ListNode>;
}
const newListNode = (facts: readonly Evidence[]): ListNode => ({ facts, next: new Map() });
let sharedLists = newListNode([]);
let sharedListsCount = 0;

/** The same facts, as one list for all holders that have them: a list for each would weigh more than its lock. */
export function factsOf(facts: readonly Evidence[]): readonly Evidence[] {
  // A copy has no spare capacity, unlike a list that grew by `push`.
  if (facts.some(isUnique)) return facts.slice();
  if (sharedListsCount >= sharedMax) {
    sharedLists = newListNode([]);
    sharedListsCount = 0;
  }
  let node = sharedLists;
  for (const one of facts) {
    let next = node.next.get(one);
    if (next === undefined) {
      next = newListNode([...node.facts, one]);
      node.next.set(one, next);
      sharedListsCount += 1;
    }
    node = next;
  }
  return node.facts;
}

const sharedExpiries = new Map<Expiry['kind'], Map<number | null, Expiry>>();
let sharedExpiriesCount = 0;

/** An expiry without an instant. Equal ones may be one object. */
function expiry(kind: Expiry['kind'], withinMs: number | null = null): Expiry {
  const known = sharedExpiries.get(kind)?.get(withinMs);
  if (known !== undefined) return known;
  if (sharedExpiriesCount >= sharedMax) {
    sharedExpiries.clear();
    sharedExpiriesCount = 0;
  }
  const fresh: Expiry = { kind, withinMs, latestMs: null, lastRenewalMs: null };
  const ofKind = sharedExpiries.get(kind) ?? new Map<number | null, Expiry>();
  sharedExpiries.set(kind, ofKind.set(withinMs, fresh));
  sharedExpiriesCount += 1;
  return fresh;
}

/** The source of each kind of evidence, a key of the words on screen. */
const sourceOf: Readonly<Record<EvidenceCode, string>> = {
  'session-exists': 'session',
  'session-not-visible': 'session',
  'session-not-listed': 'session',
  'holds-entry': 'kv',
  'recorded-as-holder': 'kv',
  'no-entry-locked': 'kv',
  'name-of-no-session': 'kv',
  'may-need-no-entry': 'kv',
  'view-incomplete': 'signalbox',
  ttl: 'session',
  'no-ttl': 'session',
  'no-checks': 'session',
  'node-checks-only': 'session',
  'server-node': 'catalog',
  'bound-to-server': 'catalog',
  'node-passing': 'catalog',
  'node-critical': 'catalog',
  'node-gone': 'catalog',
  'node-unknown': 'catalog',
  'check-critical': 'catalog',
  'check-warning': 'catalog',
  'check-unknown': 'catalog',
  'checks-passing': 'catalog',
  'renewals-not-observed': 'signalbox',
  'renewal-observed': 'agent',
  'renewal-overdue': 'agent',
  'renewals-elsewhere': 'signalbox',
  'timers-restarted': 'signalbox',
  'limit-changed-while-waiting': 'signalbox',
  'evidence-withheld': 'signalbox',
  'lease-runs': 'file',
  'redis-lease-runs': 'redis',
  'redis-lease-renewed': 'signalbox',
  'redis-renewal-overdue': 'signalbox',
  'redis-lease-fixed': 'signalbox',
  'redis-no-lease': 'redis',
  'redis-writer-reads-on': 'signalbox',
  'redis-sleep-ends': 'signalbox',
  'redis-thread-lost': 'signalbox',
  'redis-permit-over': 'redis',
  'redis-client': 'redis',
  'redis-thread': 'redis',
  'redis-subscribed': 'redis',
  'redis-not-subscribed': 'redis',
  'redis-not-asked': 'signalbox',
  'zookeeper-session': 'zookeeper',
  'zookeeper-sessions-unread': 'signalbox',
  'zookeeper-session-unlisted': 'zookeeper',
  'zookeeper-connected': 'zookeeper',
  'zookeeper-no-connection': 'zookeeper',
  'zookeeper-timeout': 'zookeeper',
  'zookeeper-likely-selector': 'signalbox',
  'zookeeper-asked': 'zookeeper',
  'zookeeper-listens': 'zookeeper',
  'zookeeper-reads-as-writer': 'zookeeper',
  'zookeeper-may-read-already': 'signalbox',
  'zookeeper-unknown-client': 'signalbox',
  'zookeeper-part-hidden': 'signalbox',
  'zookeeper-lease-pending': 'zookeeper',
  'zookeeper-place-gone': 'signalbox',
};
