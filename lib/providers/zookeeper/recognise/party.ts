/** The party behind a node: its session, with its facts from the servers' administrative pages. */
import { isIP } from 'node:net';
import type { Evidence, Expiry, Party, Since } from '@/lib/domain/model';
import { oneLine, storedValue, utf8 } from '@/lib/domain/seam/stored-value';
import { fact, factsOf } from '@/lib/domain/verdict';
import type { ZkFacts, ZkNode, ZkSession } from '@/lib/providers/zookeeper/client/node';
import type { Entry } from './entry';

const labelLengthMax = 64;

/** The data that Curator's `Revoker` writes to ask a mutex's holder to let go. */
export const askedText = '__REVOKE__';

export const isAskedNode = ({ data }: ZkNode): boolean => data.toString('latin1') === askedText;
export const isAsked = ({ node }: Entry): boolean => isAskedNode(node);

/** The client's data as one line; '' when it is no readable text. */
function textOf({ node }: Entry): string {
  if (node.data.length > 4_096) return '';
  const text = utf8(node.data);
  return text === null ? '' : oneLine(text, labelLengthMax);
}

const labelOf = (entry: Entry): string =>
  (isAsked(entry) ? '' : textOf(entry)) || `0x${entry.node.stat.ephemeralOwner}`;

/** Curator writes the host's address by default, but a leader selector writes an id. */
export const looksLikeSelector = (entry: Entry): boolean => {
  const text = textOf(entry);
  return text !== '' && isIP(text) === 0 && !isAsked(entry);
};

const unknown: Expiry = { kind: 'unknown', withinMs: null, latestMs: null, lastRenewalMs: null };

/**
 * Longest life of a dead session. A server rounds its end up to the next tick, and grants no time-out below two ticks
 * by default (`SessionTrackerImpl`, `minSessionTimeout`).
 */
const endsWithinMs = (timeoutMs: number): number => Math.ceil(1.5 * timeoutMs);

function expiryOf(session: ZkSession | undefined): Expiry {
  if (session === undefined || session.timeoutMs === null) return unknown;
  const withinMs = endsWithinMs(session.timeoutMs);
  if (session.address !== null) return { ...unknown, kind: 'bounded', withinMs };
  const { lastContactMs } = session;
  if (lastContactMs === null) return { ...unknown, kind: 'bounded', withinMs };
  return { kind: 'observed', withinMs, latestMs: lastContactMs + withinMs, lastRenewalMs: lastContactMs };
}

function sessionEvidence({ sessions }: ZkFacts, session: ZkSession | undefined): readonly Evidence[] {
  if (sessions === null) return [fact('zookeeper-sessions-unread')];
  if (session === undefined) return [fact('zookeeper-session-unlisted')];
  const { address, timeoutMs, lastContactMs } = session;
  return [
    address === null
      ? fact('zookeeper-no-connection', null, lastContactMs)
      : fact('zookeeper-connected', address),
    ...(timeoutMs === null ? [] : [fact('zookeeper-timeout', `${timeoutMs / 1000}s`)]),
  ];
}

const sessionOf = ({ sessions }: ZkFacts, { node }: Entry): ZkSession | undefined =>
  sessions?.get(node.stat.ephemeralOwner);

/** The facts of a session in a party, as one text. An equal text means an equal party. */
export function sessionStamp({ sessions }: ZkFacts, id: string): string {
  if (sessions === null) return 'unread';
  const session = sessions.get(id);
  if (session === undefined) return 'unlisted';
  const { address, timeoutMs, lastContactMs } = session;
  return `${address ?? `silent since ${lastContactMs}`} ${timeoutMs}`;
}

export interface Role {
  readonly since: Since | null;
  /** Evidence from the party's place in the queue. */
  readonly evidence?: readonly Evidence[];
}

/**
 * The party of a node, which lives as long as its session. A session lives while its client is heard of in time, and
 * one without a connection at any server is silent now.
 */
export function partyOf(entry: Entry, facts: ZkFacts, { since, evidence = [] }: Role): Party {
  const session = sessionOf(facts, entry);
  const mode = entry.kind === 'read' || entry.kind === 'write' ? { mode: entry.kind } : {};
  return {
    sessionId: entry.name,
    session: null,
    verdict: session !== undefined && session.address === null ? 'overdue' : 'alive',
    evidence: factsOf([
      fact('zookeeper-session', `0x${entry.node.stat.ephemeralOwner}`),
      ...sessionEvidence(facts, session),
      ...evidence,
      ...(isAsked(entry) ? [fact('zookeeper-asked')] : []),
    ]),
    since,
    expiry: expiryOf(session),
    value: storedValue(entry.node.data),
    label: labelOf(entry),
    ...mode,
  };
}

/** A party whose session lives, but whose entry is left over without effect. */
export const ghostOf = (entry: Entry, facts: ZkFacts, role: Role): Party => ({
  ...partyOf(entry, facts, role),
  verdict: 'ghost',
  expiry: unknown,
});

/** When the server made the node, by its own clock, which is when the wait began. */
export const sinceMade = ({ node }: Entry): Since => ({ atMs: node.stat.ctimeMs, basis: 'value' });
