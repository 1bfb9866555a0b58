/** English: what a verdict rests on, and what is wrong with an entry. */
import type { EvidenceCode, SemaphoreProblemCode } from '@/lib/domain/model';

/**
 * Where a fact was read. `agent` is the log of requests that an agent streams: renewals are seen nowhere else.
 */
export const evidenceSources = {
  kv: 'KV store',
  session: 'session',
  catalog: 'catalog',
  agent: 'agent log',
  signalbox: 'Signalbox',
} as const;

const or = (detail: string | null, text: (d: string) => string, without: string) =>
  detail === null ? without : text(detail);

const notObservedPlain = 'Renewals are not observed, so the time of the last one is not known.';
/** Why renewals are not observed, by the detail of the fact. */
const notObserved: Readonly<Record<string, string>> = {
  unseen:
    'No renewal of it was seen yet on the agents that are watched; it may be renewed through another one.',
  connecting: 'Renewals are not observed at the moment: the log of the agent is being opened.',
  forbidden: 'Renewals are not observed: this credential may not follow the agent’s log (agent:read).',
  unreachable: 'Renewals are not observed: the log of the agent cannot be followed right now.',
  off: 'Renewals are not observed: that is switched off here (SIGNALBOX_RENEWAL_AGENTS).',
};

/** `at` is the instant of the fact, formatted; `null` for facts that have none. */
type EvidenceText = (detail: string | null, at?: string | null) => string;

export const evidence: Readonly<Record<EvidenceCode, EvidenceText>> = {
  'session-exists': (d) => or(d, (x) => `The session exists (${x}).`, 'The session exists.'),
  'session-not-listed': () =>
    "The session is not in Consul's list: it has ended, it has only just begun, or this credential may not see it.",
  'session-not-visible': () => 'The session is not visible: no permission to read it, or it is not in view.',
  'holds-entry': (d) => or(d, (x) => `The session locks ${x}.`, 'The session locks its entry.'),
  'recorded-as-holder': (d) =>
    or(d, (x) => `Recorded as a holder in ${x}.`, 'Recorded as a holder in .lock.'),
  'no-entry-locked': () => 'No key under the prefix is locked by this session.',
  'name-of-no-session': () =>
    'What is recorded is the name of no session, so nothing that Consul knows tells whether it is there.',
  'may-need-no-entry': () =>
    'The flags are not those of Go’s clients, and a program with rules of its own may keep a holder in .lock alone: this is no proof that the slot leaks.',
  'view-incomplete': (d) =>
    or(d, (x) => `The view is not complete: ${x}.`, 'The view is not complete, so this cannot be judged.'),
  ttl: (d) => or(d, (x) => `The session has a TTL of ${x}.`, 'The session has a TTL.'),
  'no-ttl': () => 'The session has no TTL: it never ends by time.',
  'no-checks': () => 'The session has no checks: the failure of its process or of its node does not end it.',
  'node-checks-only': (d) =>
    or(
      d,
      (x) => `Its checks are only those of node ${x}; they say nothing of the process.`,
      'Its checks are only those of its node; they say nothing of the process.',
    ),
  'server-node': (d) =>
    or(
      d,
      (x) => `Node ${x} is a Consul server. Its health says nothing of the holder’s machine.`,
      'Its node is a Consul server. Its health says nothing of the holder’s machine.',
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
    or(d, (x) => `The health of node ${x} is not known.`, 'The health of its node is not known.'),
  'check-critical': (d) => or(d, (x) => `Check ${x} is critical.`, 'One of its checks is critical.'),
  'check-warning': (d) => or(d, (x) => `Check ${x} warns.`, 'One of its checks warns.'),
  'check-unknown': (d) =>
    or(d, (x) => `The status of check ${x} is not known.`, 'The status of one of its checks is not known.'),
  'checks-passing': (d) => or(d, (x) => `Its checks pass (${x}).`, 'Its checks pass.'),
  'renewals-not-observed': (d) => notObserved[d ?? ''] ?? notObservedPlain,
  'renewal-observed': (d, at) =>
    `Last renewal seen${at === null ? '' : ` at ${at}`}${d === null ? '' : `, on agent ${d}`}.`,
  'renewal-overdue': (_, at = null) =>
    at === null
      ? 'No renewal was seen for more than one TTL, although its agent was watched all the time.'
      : `No renewal since; one was due by ${at}, and its agent was watched all the time.`,
  'renewals-elsewhere': (_, at = null) =>
    `Its renewals stopped here and it is still there${at === null ? '' : ` (noticed at ${at})`}: it is renewed through an agent that is not watched.`,
  'timers-restarted': (_, at = null) =>
    `${at === null ? 'A new leader was elected' : `A new leader was seen at ${at}`}: Consul gave every session its full time again.`,
  'limit-changed-while-waiting': (d) =>
    or(
      d,
      (x) => `The limit changed while it waited (${x}): a Go client has given up, only its entry is left.`,
      'The limit changed while it waited: a Go client has given up, only its entry is left.',
    ),
  'evidence-withheld': () => 'Judged by all that Signalbox may read; the rest of it your token may not.',
};

/** What is wrong with a coordination entry, and what clients make of it. */
export const entryProblems: Readonly<Record<SemaphoreProblemCode, (detail: string | null) => string>> = {
  'empty-value': () =>
    '.lock is empty. The next Go client takes it for a new semaphore; whoever held a slot has lost it.',
  'not-json': () => '.lock is not JSON. Go clients fail as soon as they read it.',
  'not-utf8': () =>
    '.lock has bytes that are no UTF-8. Go clients read past them; Signalbox does not write such an entry.',
  'not-an-object': (d) =>
    d === 'null'
      ? '.lock is null. Go clients read that as a limit of 0 and refuse to enter.'
      : '.lock holds JSON, but not an object. Clients fail as soon as they read it.',
  'limit-missing': () => '.lock names no limit. Go clients read that as 0 and refuse to enter.',
  'limit-not-integer': (d) =>
    or(
      d,
      (x) =>
        /^-?\d+$/.test(x)
          ? `The limit in .lock is ${x}, beyond what can be read exactly.`
          : `The limit in .lock is ${x}, not a whole number. Go clients fail as soon as they read it.`,
      'The limit in .lock is not a whole number.',
    ),
  'limit-below-one': (d) =>
    or(
      d,
      (x) => `The limit in .lock is ${x}: nobody can ever enter.`,
      'The limit in .lock is below one: nobody can ever enter.',
    ),
  'holders-missing': (d) =>
    `${d === 'null' ? 'The holders in .lock are null' : '.lock names no holders'}. A Go client that asks for the same limit crashes on it, and Go holders lose their slots.`,
  'holders-wrong-type': (d) =>
    d === 'list'
      ? 'The holders in .lock are a list under the flags of Go. Go clients fail as soon as they read it.'
      : 'The holders in .lock are neither a list nor a map of sessions.',
  'holder-not-a-session': (d) =>
    or(
      d,
      (x) => `.lock names ${x} as a holder, which is no session id.`,
      '.lock names a holder that is no session id.',
    ),
  'duplicate-holders': (d) =>
    or(d, (x) => `.lock names ${x} twice: it takes two slots and frees one.`, '.lock names a holder twice.'),
  'holder-repeated': (d) =>
    or(
      d,
      (x) => `.lock has the key ${x} twice. Clients count it once.`,
      '.lock has the key of one holder twice. Clients count it once.',
    ),
  'duplicate-fields': (d) =>
    or(
      d,
      (x) =>
        `.lock has the field ${x} more than once. Go ${x === 'holders' ? 'joins them' : 'takes the last one'}, other clients may not.`,
      '.lock has a field more than once.',
    ),
  'wrong-flags': (d) =>
    or(
      d,
      (x) => `The flags are ${x}, not those of a semaphore: a Go client refuses this key.`,
      'The flags are not those of a semaphore: a Go client refuses this key.',
    ),
  'entry-missing': (d) =>
    or(
      d,
      (x) =>
        `.lock is something else here (flags ${x}). Contenders are here, but nothing says how many may enter.`,
      'There is no .lock. Contenders are here, but nothing says how many may enter.',
    ),
  'unknown-fields': (d) =>
    or(
      d,
      (x) => `.lock has fields that no known client writes (${x}). They are kept as they are.`,
      '.lock has fields that no known client writes.',
    ),
};

/** English: renewals of sessions, as far as they are observed. Times, ages and agents arrive formatted. */

/** Why an end is when it is: from when two TTLs are counted. */
export type RenewalBasis = 'renewal' | 'gap' | 'election';

const basis: Readonly<Record<RenewalBasis, string>> = {
  renewal: 'two TTLs after the last renewal',
  gap: 'two TTLs after its agent was followed again, for a renewal may have gone by before',
  election: 'two TTLs after a new leader was seen, which started every session’s time anew',
};

/** Where time does not count from the last renewal, an age and a rest that do not add up stand side by side. */
const countedFrom: Readonly<Record<RenewalBasis, string>> = {
  renewal: '',
  gap: ', counted from when its agent was followed again',
  election: ', counted from when a new leader was seen',
};

export const renewals = {
  fact: 'renewals',
  /** While they come in time. */
  seen: (age: string, agents: string) => `Renewed ${age} ago, seen on agent ${agents}.`,
  due: (rest: string, from: RenewalBasis) =>
    `Overdue in ${rest} unless another one comes${countedFrom[from]}.`,
  dueNow: 'Another one is due.',
  /** Once they have stopped. */
  last: (time: string, age: string, agents: string) =>
    `Last one at ${time}, ${age} ago, seen on agent ${agents}.`,
  overdue: (age: string) => `Overdue for ${age}.`,
  ends: (latest: string, rest: string, from: RenewalBasis) =>
    `If it stays silent, Consul ends it by ${latest}, in ${rest}: ${basis[from]}.`,
  endsNow: 'Its time is over. Either Consul ends it now, or it is renewed where nobody looks.',
  agents: 'Renewals observed on',
  agentsNote:
    'Clients renew through the agent on their own machine. Renewals through agents that are not listed here are not seen.',
  states: {
    observed: (since: string | null) =>
      since === null ? 'observed' : `observed without a gap since ${since}`,
    connecting: () => 'opening its log',
    forbidden: () => 'not observed: this credential may not follow its log (agent:read)',
    unreachable: () => 'not observed: its log cannot be followed right now',
    off: () => 'not observed: switched off here (SIGNALBOX_RENEWAL_AGENTS)',
  },
};
