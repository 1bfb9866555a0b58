/**
 * What we conclude about a holder, and from what. Pure: the provider gathers the facts, this judges them.
 *
 * The order of the questions is the order of certainty. That a recorded holder locks nothing is read from the
 * entries themselves, so it is asked first. Everything else is about its session, and a session that cannot be
 * seen proves nothing: a missing row is "not visible", never "dead".
 */
import type { Evidence, EvidenceCode, Expiry, Session, Verdict } from './model';

/** Everything that a verdict may rest on. */
export interface HolderFacts {
  /** `null`: not visible. */
  readonly session: Pick<Session, 'node' | 'nodeStatus' | 'ttlMs' | 'checks'> | null;
  /** True when nothing but the health of its node can end the session, apart from a TTL. */
  readonly onlyNodeChecks: boolean;
  /** Recorded as a holder in a coordination entry; false for the holder of a lock and for a waiter. */
  readonly recorded: boolean;
  /**
   * Whether the session locks an entry where a holder must. `none` is said only when every place was in view;
   * else it is `not-in-view`.
   */
  readonly entry: 'locked' | 'none' | 'not-in-view';
  /** The entry that it locks, when that is not the subject itself. */
  readonly entryKey: string | null;
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
  'view-incomplete': 'signalbox',
  ttl: 'session',
  'no-ttl': 'session',
  'no-checks': 'session',
  'node-checks-only': 'session',
  'node-passing': 'catalog',
  'node-critical': 'catalog',
  'node-gone': 'catalog',
  'node-unknown': 'catalog',
  'check-critical': 'catalog',
  'checks-passing': 'catalog',
  'renewals-not-observed': 'signalbox',
};

const fact = (code: EvidenceCode, detail: string | null = null): Evidence => ({
  code,
  source: sourceOf[code],
  detail,
});

function entryEvidence({ recorded, entry, entryKey }: HolderFacts): Evidence[] {
  const evidence = recorded ? [fact('recorded-as-holder')] : [];
  if (entry === 'locked') evidence.push(fact('holds-entry', entryKey));
  else evidence.push(fact(entry === 'none' ? 'no-entry-locked' : 'view-incomplete'));
  return evidence;
}

function sessionEvidence({ session, onlyNodeChecks, entry }: HolderFacts): Evidence[] {
  // A session that locks an entry exists (Consul clears the entry when it ends); one that is only recorded may be gone.
  if (session === null) return [fact(entry === 'none' ? 'session-not-listed' : 'session-not-visible')];
  const { ttlMs, checks, node, nodeStatus } = session;
  const evidence = [fact('session-exists')];
  evidence.push(ttlMs === null ? fact('no-ttl') : fact('ttl', `${ttlMs / 1000}s`));
  evidence.push(fact(`node-${nodeStatus}` as const, node));
  // With a TTL, time ends the session, so that no check can do so is nothing to judge by.
  if (checks.length === 0 && ttlMs === null) evidence.push(fact('no-checks'));
  else if (onlyNodeChecks) evidence.push(fact('node-checks-only', node));
  const critical = checks.filter((check) => check.status === 'critical');
  for (const check of critical) evidence.push(fact('check-critical', check.name));
  if (checks.length > 0 && checks.every((check) => check.status === 'passing'))
    evidence.push(fact('checks-passing'));
  if (ttlMs !== null) evidence.push(fact('renewals-not-observed'));
  return evidence;
}

function verdictOf({ session, onlyNodeChecks, entry }: HolderFacts): Verdict {
  if (entry === 'none') return 'ghost';
  if (entry === 'not-in-view' || session === null) return 'unknown';
  const { nodeStatus, checks, ttlMs } = session;
  if (nodeStatus === 'critical' || nodeStatus === 'gone') return 'suspect';
  if (checks.some((check) => check.status === 'critical')) return 'suspect';
  // "Its checks pass" is part of being alive, and a check that cannot be read does not say so.
  if (checks.some((check) => check.status === 'unknown')) return 'unknown';
  if (ttlMs !== null) return 'alive';
  if (checks.length === 0) return 'immortal';
  return onlyNodeChecks ? 'node-bound' : 'alive';
}

/**
 * When the holder ends by itself should its process be dead. A TTL bounds it by two TTLs from the last renewal
 * (`SessionTTLMultiplier` in Consul's leader, session_ttl.go); nobody tells when that was, and a leader election
 * starts the time anew, so there is no latest instant: as long as the session is there, the bound slides with it.
 * A ghost's slot has no session to end: it waits for a client that prunes, so nothing can be said.
 */
function expiryOf({ session, onlyNodeChecks, entry }: HolderFacts): Expiry {
  const expiry = (kind: Expiry['kind'], withinMs: number | null = null): Expiry => ({
    kind,
    withinMs,
    latestMs: null,
    lastRenewalMs: null,
  });
  if (session === null || entry === 'none') return expiry('unknown');
  if (session.ttlMs !== null) return expiry('bounded', 2 * session.ttlMs);
  if (session.checks.length === 0) return expiry('never');
  // A check of a service may watch the process itself; how fast it fails is not ours to know.
  return expiry(onlyNodeChecks ? 'with-node' : 'unknown');
}

/**
 * Judges one holder, or the session of one waiter, by the table in the product's vocabulary:
 * `ghost` by the entries alone, `unknown` when something needed cannot be seen, `suspect` when its node or a check
 * of its session fails, `immortal` and `node-bound` when a dead process would hold on for ever, else `alive`.
 * `overdue` needs observed renewals and is not concluded here.
 */
export function judge(facts: HolderFacts): Judgement {
  return {
    verdict: verdictOf(facts),
    evidence: [...entryEvidence(facts), ...sessionEvidence(facts)],
    expiry: expiryOf(facts),
  };
}
