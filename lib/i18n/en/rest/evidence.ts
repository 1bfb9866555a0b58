/** English: the evidence of verdicts, and problems of an entry. */
import type { EvidenceCode, SemaphoreProblemCode } from '@/lib/domain/model';
import { redis } from './redis';
import { standIn } from './stand-in';
import { zookeeper } from './zookeeper';

/** The source of each fact. `agent` is the log of requests that an agent streams, and the only source of renewals. */
export const evidenceSources: Readonly<Record<string, string>> = {
  kv: 'KV store',
  session: 'session',
  catalog: 'catalog',
  agent: 'agent log',
  signalbox: 'Signalbox',
  ...redis.evidenceSources,
  ...standIn.evidenceSources,
  ...zookeeper.evidenceSources,
};

const or = (detail: string | null, text: (d: string) => string, without: string) =>
  detail === null ? without : text(detail);

const notObservedPlain = 'Signalbox does not observe renewals here. The last renewal time is unknown.';
/** Reasons by the detail of the fact. */
const notObserved: Readonly<Record<string, string>> = {
  unseen: 'No watched agent has shown a renewal yet. Another agent may carry them.',
  connecting: 'Signalbox does not observe renewals yet: it is opening the agent’s log.',
  forbidden:
    'Signalbox does not observe renewals: this credential may not follow the agent’s log (agent:read).',
  unreachable: 'Signalbox does not observe renewals: it cannot follow the agent’s log right now.',
  left: 'Signalbox does not observe renewals: Consul no longer names the server through which this session renewed.',
  'no-servers':
    'Signalbox does not observe renewals: its agent has not named the servers whose logs to follow.',
  off: 'Signalbox does not observe renewals: SIGNALBOX_RENEWAL_AGENTS switches that off.',
};

/** `at`: the fact's instant, formatted; `null`: none. */
type EvidenceText = (detail: string | null, at?: string | null) => string;

export const evidence: Readonly<Record<EvidenceCode, EvidenceText>> = {
  'session-exists': (d) => or(d, (x) => `The session exists (${x}).`, 'The session exists.'),
  'session-not-listed': () =>
    'Consul does not list the session: it ended, it just started, or this credential may not see it.',
  'session-not-visible': () => 'The session is not visible: no permission to read it, or not in view.',
  'holds-entry': (d) => or(d, (x) => `The session locks ${x}.`, 'The session locks its entry.'),
  'recorded-as-holder': (d) => or(d, (x) => `${x} records it as a holder.`, '.lock records it as a holder.'),
  'no-entry-locked': () => 'This session locks no key under the prefix.',
  'name-of-no-session': () =>
    'The recorded name is no session’s. Nothing in Consul shows whether its holder exists.',
  'may-need-no-entry': () =>
    'The flags differ from the Go clients’. A program with its own rules may keep a holder in .lock alone. This does not prove that the slot leaks.',
  'view-incomplete': (d) =>
    or(d, (x) => `The view is incomplete: ${x}.`, 'The view is incomplete. Signalbox cannot judge this.'),
  ttl: (d) => or(d, (x) => `The session has a TTL of ${x}.`, 'The session has a TTL.'),
  'no-ttl': () => 'The session has no TTL: it never expires.',
  'no-checks': () => 'The session has no checks. It survives the failure of its process or node.',
  'node-checks-only': (d) =>
    or(
      d,
      (x) => `Its only checks are those of node ${x}; none covers the process.`,
      'Its only checks are its node’s; none covers the process.',
    ),
  'server-node': (d) =>
    or(
      d,
      (x) => `Node ${x} is a Consul server. Its health does not show the health of the holder’s machine.`,
      'Its node is a Consul server. Its health does not show the health of the holder’s machine.',
    ),
  'bound-to-server': (d) =>
    or(
      d,
      (x) => `Its session is bound to the server node ${x}. The holder’s death does not end it.`,
      'Its session is bound to a server node. The holder’s death does not end it.',
    ),
  'node-passing': (d) => or(d, (x) => `Node ${x} passes its checks.`, 'Its node passes its checks.'),
  'node-critical': (d) => or(d, (x) => `Node ${x} is critical.`, 'Its node is critical.'),
  'node-gone': (d) => or(d, (x) => `Node ${x} has left the catalog.`, 'Its node has left the catalog.'),
  'node-unknown': (d) =>
    or(d, (x) => `The health of node ${x} is unknown.`, 'The health of its node is unknown.'),
  'check-critical': (d) => or(d, (x) => `Check ${x} is critical.`, 'One of its checks is critical.'),
  'check-warning': (d) => or(d, (x) => `Check ${x} is in warning.`, 'One of its checks is in warning.'),
  'check-unknown': (d) =>
    or(d, (x) => `The status of check ${x} is unknown.`, 'The status of one of its checks is unknown.'),
  'checks-passing': (d) => or(d, (x) => `Its checks pass (${x}).`, 'Its checks pass.'),
  'renewals-not-observed': (d) => notObserved[d ?? ''] ?? notObservedPlain,
  'renewal-observed': (d, at) =>
    `Last renewal seen${at === null ? '' : ` at ${at}`}${d === null ? '' : `, on agent ${d}`}.`,
  'renewal-overdue': (_, at = null) =>
    at === null
      ? 'No renewal seen for more than one TTL, with its agent watched throughout.'
      : `No renewal since. One was due by ${at}, with its agent watched throughout.`,
  'renewals-elsewhere': (_, at = null) =>
    `Its renewals stopped here, yet it still exists${at === null ? '' : ` (noticed at ${at})`}: it renews through an unwatched agent.`,
  'timers-restarted': (_, at = null) =>
    `${at === null ? 'Consul elected a new leader' : `Signalbox saw a new leader at ${at}`}: Consul restarted every session’s time.`,
  'limit-changed-while-waiting': (d) =>
    or(
      d,
      (x) => `The limit changed while it waited (${x}). A Go client has given up; only its entry is left.`,
      'The limit changed while it waited. A Go client has given up; only its entry is left.',
    ),
  'evidence-withheld': () =>
    'This verdict uses all that Signalbox may read. Your token may not read the rest.',
  ...redis.evidence,
  ...standIn.evidence,
  ...zookeeper.evidence,
};

/** And their effect on clients. */
export const entryProblems: Readonly<Record<SemaphoreProblemCode, (detail: string | null) => string>> = {
  'empty-value': () =>
    '.lock is empty. The next Go client treats it as a new semaphore. Every former holder has lost its slot.',
  'not-json': () => '.lock is not JSON. Go clients fail when they read it.',
  'not-utf8': () =>
    '.lock has bytes that are not UTF-8. Go clients ignore that; Signalbox does not write such an entry.',
  'not-an-object': (d) =>
    d === 'null'
      ? '.lock is null. Go clients read a limit of 0 and refuse to enter.'
      : '.lock holds JSON, but not an object. Clients fail when they read it.',
  'limit-missing': () => '.lock names no limit. Go clients read 0 and refuse to enter.',
  'limit-not-integer': (d) =>
    or(
      d,
      (x) =>
        /^-?\d+$/.test(x)
          ? `The limit in .lock is ${x}, too large to read exactly.`
          : `The limit in .lock is ${x}, not a whole number. Go clients fail when they read it.`,
      'The limit in .lock is not a whole number.',
    ),
  'limit-below-one': (d) =>
    or(
      d,
      (x) => `The limit in .lock is ${x}: no client can ever enter.`,
      'The limit in .lock is below one: no client can ever enter.',
    ),
  'holders-missing': (d) =>
    `${d === 'null' ? 'The holders in .lock are null' : '.lock names no holders'}. A Go client with the same limit crashes on it. Go holders lose their slots.`,
  'holders-wrong-type': (d) =>
    d === 'list'
      ? 'The holders in .lock are a list under Go’s flags. Go clients fail when they read it.'
      : 'The holders in .lock are neither a list nor a map of sessions.',
  'holder-not-a-session': (d) =>
    or(
      d,
      (x) => `.lock names ${x} as a holder, which is not a session id.`,
      '.lock names a holder that is not a session id.',
    ),
  'duplicate-holders': (d) =>
    or(d, (x) => `.lock names ${x} twice: it takes two slots but frees one.`, '.lock names a holder twice.'),
  'holder-repeated': (d) =>
    or(
      d,
      (x) => `.lock has the key ${x} twice. Clients count it once.`,
      '.lock has one holder’s key twice. Clients count it once.',
    ),
  'duplicate-fields': (d) =>
    or(
      d,
      (x) =>
        `.lock has the field ${x} more than once. Go ${x === 'holders' ? 'joins them' : 'takes the last one'}; other clients may not.`,
      '.lock has a field more than once.',
    ),
  'wrong-flags': (d) =>
    or(
      d,
      (x) => `The flags are ${x}, not a semaphore’s: a Go client refuses this key.`,
      'The flags are not a semaphore’s: a Go client refuses this key.',
    ),
  'entry-missing': (d) =>
    or(
      d,
      (x) =>
        `.lock is something else here (flags ${x}). Contenders exist, but no limit says how many may enter.`,
      'There is no .lock. Contenders exist, but no limit says how many may enter.',
    ),
  'unknown-fields': (d) =>
    or(
      d,
      (x) => `.lock has fields that no known client writes (${x}). Signalbox keeps them.`,
      '.lock has fields that no known client writes.',
    ),
};

/** Times, ages and agents arrive formatted. */

/** The start of the two TTLs. */
export type RenewalBasis = 'renewal' | 'gap' | 'election';

const basis: Readonly<Record<RenewalBasis, string>> = {
  renewal: 'two TTLs after the last renewal',
  gap: 'two TTLs after Signalbox followed its agent again, in case it missed a renewal',
  election: 'two TTLs after Signalbox saw a new leader, which restarted every session’s time',
};

/** Otherwise an age and a rest that do not add up would stand side by side. */
const countedFrom: Readonly<Record<RenewalBasis, string>> = {
  renewal: '',
  gap: ', counted from when Signalbox followed its agent again',
  election: ', counted from when Signalbox saw a new leader',
};

export const renewals = {
  fact: 'renewals',
  /** While they come in time. */
  seen: (age: string, agents: string) => `Renewed ${age} ago, seen on agent ${agents}.`,
  due: (rest: string, from: RenewalBasis) => `Overdue in ${rest} unless renewed${countedFrom[from]}.`,
  dueNow: 'A renewal is due.',
  /** Once they have stopped. */
  last: (time: string, age: string, agents: string) =>
    `Last renewal at ${time}, ${age} ago, seen on agent ${agents}.`,
  overdue: (age: string) => `Overdue for ${age}.`,
  ends: (latest: string, rest: string, from: RenewalBasis) =>
    `Ends by ${latest} (${rest}) unless renewed: ${basis[from]}.`,
  endsNow: 'Its time is up. Consul ends it now, or it renews through an unwatched agent.',
  agents: 'Renewals observed on',
  agentsNote:
    'Clients renew through the agent on their own machine, or through a server. Signalbox sees no renewals through agents not listed here.',
  /** `from`: the datacenter of the agent. */
  across: (datacenter: string, from: string | null) =>
    `Signalbox reads the datacenter ${datacenter} through an agent of ${from ?? 'another one'}.`,
  /** For a source with only that agent followed. */
  acrossUnseen: (datacenter: string) =>
    `Clients in ${datacenter} renew through agents there: name these with renewal-agents= in SIGNALBOX_SOURCES, or Signalbox calls none of their holders overdue.`,
  states: {
    observed: (since: string | null) =>
      since === null ? 'observed' : `observed without a gap since ${since}`,
    connecting: () => 'opening its log',
    forbidden: () => 'not observed: this credential may not follow its log (agent:read)',
    unreachable: () => 'not observed: Signalbox cannot follow its log right now',
    'no-servers': () => 'not observed: it has not named the servers to follow',
    off: () => 'not observed: switched off (SIGNALBOX_RENEWAL_AGENTS)',
  },
};
