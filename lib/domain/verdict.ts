/**
 * What we conclude about a holder, and from what. Pure: the provider gathers the facts, this judges them.
 *
 * The order of the questions is the order of certainty. That a recorded holder locks nothing is read from the
 * entries themselves, so it is asked first. Everything else is about its session, and a session that cannot be
 * seen proves nothing: a missing row is "not visible", never "dead".
 */
import type { Evidence, EvidenceCode, Expiry, Session, Verdict } from './model';
import { type Phase, phaseOf, type Renewing } from './renewal';

/** Everything that a verdict may rest on. */
export interface HolderFacts {
  /** `null`: not visible. */
  readonly session: Pick<Session, 'node' | 'nodeStatus' | 'ttlMs' | 'checks'> | null;
  /** True when nothing but the health of its node can end the session, apart from a TTL. */
  readonly onlyNodeChecks: boolean;
  /**
   * The session is bound to a Consul server. Where no agents run beside the programs (Kubernetes), Consul binds a session
   * to the server that was asked for it, and that node tells nothing of the holder.
   */
  readonly onServer: boolean;
  /** Recorded as a holder in a coordination entry; false for the holder of a lock and for a waiter. */
  readonly recorded: boolean;
  /**
   * Whether the session locks an entry where a holder must. `none` is said only when every place was in view;
   * else it is `not-in-view`. In the entry of a program that may go by other rules nothing follows from what is locked:
   * `no-session` where what is recorded is the name of no session, `may-live` where its session is there, or is not known
   * to have ended.
   */
  readonly entry: 'locked' | 'none' | 'not-in-view' | 'no-session' | 'may-live';
  /** The entry that it locks, when that is not the subject itself. */
  readonly entryKey: string | null;
  /** What was seen of its session's renewals; `null`: renewals are not looked for in this view. */
  readonly renewing: Renewing | null;
  /** The moment of the judgement: a silence becomes a verdict by the passing of time. */
  readonly nowMs: number;
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly evidence: readonly Evidence[];
  readonly expiry: Expiry;
}

const sourceOf: Readonly<Record<EvidenceCode, Evidence['source']>> = {
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
};

/** Facts without an instant. Tens of thousands of holders share a few hundred: kept for each, they are most of a world. */
const shared = new Map<EvidenceCode, Map<string | null, Evidence>>();
let sharedCount = 0;
const sharedMax = 4_096;

/** What one holder alone has: the name of its entry, an instant. */
const isItsOwn = ({ code, detail, atMs }: Evidence) =>
  atMs !== null || (code === 'holds-entry' && detail !== null);

/** One fact with where such facts are read. Facts that say the same may be one object. */
export function fact(code: EvidenceCode, detail: string | null = null, atMs: number | null = null): Evidence {
  const known = atMs === null ? shared.get(code)?.get(detail) : undefined;
  if (known !== undefined) return known;
  const fresh: Evidence = { code, source: sourceOf[code], detail, atMs };
  if (isItsOwn(fresh)) return fresh;
  if (sharedCount >= sharedMax) {
    shared.clear();
    sharedCount = 0;
  }
  const ofCode = shared.get(code) ?? new Map<string | null, Evidence>();
  shared.set(code, ofCode.set(detail, fresh));
  sharedCount += 1;
  return fresh;
}

/** Lists of shared facts, by the facts that they begin with. */
interface Beginning {
  readonly facts: readonly Evidence[];
  readonly next: Map<Evidence, Beginning>;
}
const newBeginning = (facts: readonly Evidence[]): Beginning => ({ facts, next: new Map() });
let beginnings = newBeginning([]);
let beginningsCount = 0;

/**
 * Facts in their order, as a list that is one object for all who have the same ones: the same few facts in the same order
 * are the evidence of nearly every holder, and a list of them weighs more than the lock that it is about.
 */
export function factsOf(facts: readonly Evidence[]): readonly Evidence[] {
  // Without the room to grow that a list has to which something was added.
  if (facts.some(isItsOwn)) return facts.slice();
  if (beginningsCount >= sharedMax) {
    beginnings = newBeginning([]);
    beginningsCount = 0;
  }
  let at = beginnings;
  for (const one of facts) {
    let next = at.next.get(one);
    if (next === undefined) {
      next = newBeginning([...at.facts, one]);
      at.next.set(one, next);
      beginningsCount += 1;
    }
    at = next;
  }
  return at.facts;
}

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

/** What was seen of renewals. While they come in time the last one moves, and `World.renewals` has its instant. */
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

function sessionEvidence(facts: HolderFacts, phase: Phase): Evidence[] {
  const { session, onlyNodeChecks, onServer, entry } = facts;
  if (entry === 'no-session') return [];
  // A session that locks an entry exists (Consul clears the entry when it ends); one that is only recorded may be gone.
  const mayBeGone = entry === 'none' || entry === 'may-live';
  if (session === null) return [fact(mayBeGone ? 'session-not-listed' : 'session-not-visible')];
  const { ttlMs, checks, node, nodeStatus } = session;
  const evidence = [fact('session-exists')];
  evidence.push(ttlMs === null ? fact('no-ttl') : fact('ttl', `${ttlMs / 1000}s`));
  evidence.push(fact(`node-${nodeStatus}` as const, node));
  // With a TTL, time ends the session, so that no check can do so is nothing to judge by.
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

function verdictOf({ session, onlyNodeChecks, onServer, entry }: HolderFacts, { phase }: Phase): Verdict {
  if (entry === 'none') return 'ghost';
  if (entry !== 'locked' || session === null) return 'unknown';
  const { nodeStatus, checks, ttlMs } = session;
  // Silence is about the process itself and has an end; a check may be about its node only, and has none.
  if (phase === 'overdue') return 'overdue';
  // Of a server it says nothing of the machine that the holder runs on.
  if (!onServer && (nodeStatus === 'critical' || nodeStatus === 'gone')) return 'suspect';
  if (checks.some((check) => check.status === 'critical')) return 'suspect';
  // "Its checks pass" is part of being alive, and a check that cannot be read does not say so.
  if (checks.some((check) => check.status === 'unknown')) return 'unknown';
  if (ttlMs !== null) return 'alive';
  if (checks.length === 0) return 'immortal';
  return onlyNodeChecks ? 'node-bound' : 'alive';
}

const expiries = new Map<Expiry['kind'], Map<number | null, Expiry>>();
let expiriesCount = 0;

/** Without an instant, so that all who have the same share one object. */
function expiry(kind: Expiry['kind'], withinMs: number | null = null): Expiry {
  const known = expiries.get(kind)?.get(withinMs);
  if (known !== undefined) return known;
  if (expiriesCount >= sharedMax) {
    expiries.clear();
    expiriesCount = 0;
  }
  const fresh: Expiry = { kind, withinMs, latestMs: null, lastRenewalMs: null };
  const ofKind = expiries.get(kind) ?? new Map<number | null, Expiry>();
  expiries.set(kind, ofKind.set(withinMs, fresh));
  expiriesCount += 1;
  return fresh;
}

/**
 * When the holder ends by itself should its process be dead. A TTL bounds it by two TTLs from the last renewal
 * (`SessionTTLMultiplier` in Consul's leader, session_ttl.go), and a leader election starts that time anew. Where
 * renewals are not observed nobody tells when the last one was, so there is no latest instant: as long as the session
 * is there, the bound slides with it. Where they are, there is one; while they come in time it moves with each, so it
 * stands in `World.renewals` and not here.
 * A ghost's slot has no session to end: it waits for a client that prunes, so nothing can be said. Nor can it where a record
 * alone may be all that a program has: who takes that off, and when, is its own rule.
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
  // A check of a service may watch the process itself; how fast it fails is not ours to know.
  return expiry(onlyNodeChecks ? 'with-node' : 'unknown');
}

/**
 * Judges one holder, or the session of one waiter, by the table in the product's vocabulary:
 * `ghost` by the entries alone, `unknown` when something needed cannot be seen, `suspect` when its node or a check
 * of its session fails, `immortal` and `node-bound` when a dead process would hold on for ever, else `alive`.
 * `overdue` needs renewals that were seen and have stopped (`renewal.ts`).
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
