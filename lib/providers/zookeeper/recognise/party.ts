/** Who holds or waits by a node: its session, and what the servers' administrative pages tell of that. */
import { isIP } from 'node:net';
import type { Evidence, Expiry, Party, Since } from '@/lib/domain/model';
import { oneLine, storedValue, utf8 } from '@/lib/domain/seam/stored-value';
import { fact, factsOf } from '@/lib/domain/verdict';
import type { ZkFacts, ZkNode, ZkSession } from '@/lib/providers/zookeeper/client/node';
import type { Entry } from './entry';

const labelLengthMax = 64;

/** What Curator's `Revoker` writes to ask a mutex's holder to let go. */
export const askedText = '__REVOKE__';

export const isAskedNode = ({ data }: ZkNode): boolean => data.toString('latin1') === askedText;
export const isAsked = ({ node }: Entry): boolean => isAskedNode(node);

/** What the client wrote, as one line; '' for nothing that can be read. */
function textOf({ node }: Entry): string {
  if (node.data.length > 4_096) return '';
  const text = utf8(node.data);
  return text === null ? '' : oneLine(text, labelLengthMax);
}

const labelOf = (entry: Entry): string =>
  (isAsked(entry) ? '' : textOf(entry)) || `0x${entry.node.stat.ephemeralOwner}`;

/** Curator writes its host's address unless the application says otherwise, which a leader selector does with an id. */
export const looksLikeSelector = (entry: Entry): boolean => {
  const text = textOf(entry);
  return text !== '' && isIP(text) === 0 && !isAsked(entry);
};

const unknown: Expiry = { kind: 'unknown', withinMs: null, latestMs: null, lastRenewalMs: null };

/**
 * A server rounds the end of a session up to its next tick, and takes no time-out below two ticks unless it is told to
 * (`SessionTrackerImpl`, `minSessionTimeout`).
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

/** What a party says of its session, as one text: where it is the same, the party is. */
export function sessionStamp({ sessions }: ZkFacts, id: string): string {
  if (sessions === null) return 'unread';
  const session = sessions.get(id);
  if (session === undefined) return 'unlisted';
  const { address, timeoutMs, lastContactMs } = session;
  return `${address ?? `silent since ${lastContactMs}`} ${timeoutMs}`;
}

export interface Role {
  readonly since: Since | null;
  /** What its place among the others says. */
  readonly evidence?: readonly Evidence[];
}

/**
 * A node lives as long as its session, and a session as long as its client is heard of in time. One that no server has a
 * connection of is not heard of now.
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

/** Its session lives, and this entry is left over all the same: nothing comes of it. */
export const ghostOf = (entry: Entry, facts: ZkFacts, role: Role): Party => ({
  ...partyOf(entry, facts, role),
  verdict: 'ghost',
  expiry: unknown,
});

/** When the server made the node, by its own clock: when it began to wait. */
export const sinceMade = ({ node }: Entry): Since => ({ atMs: node.stat.ctimeMs, basis: 'value' });
