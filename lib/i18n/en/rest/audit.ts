/** English: the audit: deeds, reasons, outcomes, and the chain's state. */
import type { ActionType } from '@/lib/domain/actions/action';
import type { AuditKind } from '@/lib/domain/actions/audit';
import type { DeedState } from '@/lib/domain/actions/deed';
import { capital } from '@/lib/i18n/en/plural';
import { shell } from '@/lib/i18n/en/shell';

/** `{subject}`, `{session}`, `{limit}` and `{permits}` stand for the shown values. */
type Said = string;

const rows = (n: number) => `${n.toLocaleString('en')} ${n === 1 ? 'row' : 'rows'}`;

export const audit = {
  title: shell.nav.audit,
  /** The head of the page, by the rows that the viewer sees. */
  sentence: {
    all: 'Every action taken or refused through Signalbox, newest first.',
    part: 'Your actions, and those of others on keys that your token may read. Newest first.',
  },
  part: 'Hidden: actions on keys that your token may not read, actions on sessions, and sign-ins and share links of others. A token with acl:read sees everything.',
  chain: {
    label: 'State of the record',
    checking: 'Verifying the chain…',
    whole: (n: number, time: string) => `Chain intact: ${rows(n)}, verified at ${time}.`,
    empty: (time: string) => `The record was empty at ${time}.`,
    broken: (row: number, fits: number, time: string) =>
      `Chain broken at row ${row}: that row or an earlier one was changed or removed. ${capital(rows(fits))} before it fit. Verified at ${time}.`,
    failed: 'Signalbox could not verify the chain right now.',
    again: 'Verify again',
    head: 'digest of the last row',
    /** The difference between a row and an entry. */
    rows: 'An entry has a row for each step: start, outcome, aftermath.',
    headHelp: 'Note it elsewhere now and then. It later reveals rows cut off at the end.',
  },
  filters: {
    label: 'Filters',
    person: 'Person',
    personHelp: 'name or part of it',
    subject: 'Subject',
    subjectHelp: 'key, prefix or session',
    what: 'what',
    outcome: 'outcome',
    from: 'From',
    to: 'To',
    timeHelp: 'yyyy-mm-dd hh:mm',
    timeWrong: 'Enter a date: 2026-11-26\nor a time: 2026-11-26 14:05',
    any: 'any',
    apply: 'Apply filters',
    clear: 'Clear filters',
  },
  export: {
    label: 'Export these entries, all pages',
    csv: 'Export CSV',
    jsonl: 'Export JSON lines',
    note: 'CSV is for reading. Verify the chain on JSON lines.',
  },
  table: 'Actions, newest first',
  older: 'Older',
  newest: 'Back to the newest',
  look: 'Refresh',
  shown: (n: number, more: boolean) =>
    more
      ? `${n} ${n === 1 ? 'entry' : 'entries'}. There are older ones.`
      : n === 0
        ? ''
        : n === 1
          ? 'The only entry.'
          : `All ${n} entries.`,
  shownSome: (n: number) => `${n} found so far. Older rows are not searched yet.`,
  empty: {
    none: 'Nothing recorded yet.',
    noneText: 'Applied and refused actions, sign-ins and share links appear here.',
    filtered: 'No entry matches.',
    filteredText: 'Change or clear the filters. Rows that you may not see are never counted.',
    older: 'No entry in this range matches.',
    olderText: 'Older rows are not searched yet.',
  },
  failed: {
    title: 'Signalbox cannot read the audit right now.',
    text: 'This server’s store does not answer. Signalbox starts no action until it does.',
    query: 'Signalbox does not understand this address.',
    queryText: 'A filter or the start position has an invalid value. Start from the newest.',
    signIn: 'Sign in to see the audit.',
    signInText: 'Consul uses access control here. Only users signed in with their own token see the audit.',
    signInButton: 'Sign in',
    again: 'Try again',
  },
  states: {
    done: 'done',
    partly: 'partly done',
    refused: 'refused',
    unknown: 'unknown',
    'under-way': 'under way',
  } satisfies Record<DeedState, string>,
  stateMeaning: {
    done: 'Done: the server confirmed it, or a later read showed it.',
    partly: 'Some parts done, the others refused.',
    refused: 'Nothing was written.',
    unknown: 'The outcome is unknown. Check the current state.',
    'under-way': 'Just started. No outcome recorded yet.',
  } satisfies Record<DeedState, string>,
  serverEnded: 'The server stopped before it recorded the outcome.',
  kinds: {
    intent: 'started',
    outcome: 'outcome',
    followed: 'aftermath',
    unknown: 'outcome unknown',
    refused: 'refused',
    'sign-in': 'sign-in',
    'sign-in-refused': 'refused sign-in',
    'sign-out': 'sign-out',
    'grant-created': 'share link made',
    'grant-paused': 'share link paused',
    'grant-resumed': 'share link resumed',
    'grant-revoked': 'share link revoked',
  } satisfies Record<AuditKind, string>,
  /** The deed, after its doer's name. */
  did: {
    'lock.release': 'released {subject}',
    'hand-over': 'handed over {subject}',
    'semaphore.evict': 'evicted {session} from {subject}',
    'slot-only': 'took the slot of {session} in {subject}',
    'semaphore.prune': 'pruned {subject}',
    'semaphore.resize': 'set the limit of {subject} to {limit}',
    'session.destroy': 'destroyed session {subject}',
    'lock.delete': 'deleted the lock {subject}',
    'lock.remove-waiter': 'removed {session} from the queue of {subject}',
    'lock.ask': 'asked {session} to release {subject}',
    'lock.wake': 'woke those who wait for {subject}',
    'semaphore.remove-waiter': 'removed {session} from the queue of {subject}',
    'semaphore.return-permits': 'returned to {subject} so many permits: {permits}',
    'semaphore.delete': 'deleted the semaphore {subject}',
  } satisfies Record<ActionType | 'hand-over' | 'slot-only', Said>,
  /** For an action that was not done, or whose result is unknown. */
  asked: {
    'lock.release': 'asked to release {subject}',
    'hand-over': 'asked to hand over {subject}',
    'semaphore.evict': 'asked to evict {session} from {subject}',
    'slot-only': 'asked to take the slot of {session} in {subject}',
    'semaphore.prune': 'asked to prune {subject}',
    'semaphore.resize': 'asked to set the limit of {subject} to {limit}',
    'session.destroy': 'asked to destroy session {subject}',
    'lock.delete': 'asked to delete the lock {subject}',
    'lock.remove-waiter': 'asked to remove {session} from the queue of {subject}',
    'lock.ask': 'asked that {session} be asked to release {subject}',
    'lock.wake': 'asked to wake those who wait for {subject}',
    'semaphore.remove-waiter': 'asked to remove {session} from the queue of {subject}',
    'semaphore.return-permits': 'asked to return to {subject} so many permits: {permits}',
    'semaphore.delete': 'asked to delete the semaphore {subject}',
  } satisfies Record<ActionType | 'hand-over' | 'slot-only', Said>,
  actions: {
    'lock.release': 'release a lock',
    'semaphore.evict': 'evict a holder',
    'semaphore.prune': 'prune ghosts',
    'semaphore.resize': 'set a limit',
    'session.destroy': 'destroy a session',
    'lock.delete': 'delete a lock',
    'lock.remove-waiter': 'remove from the queue of a lock',
    'lock.ask': 'ask a holder to release',
    'lock.wake': 'wake those who wait',
    'semaphore.remove-waiter': 'remove from the queue of a semaphore',
    'semaphore.return-permits': 'return permits',
    'semaphore.delete': 'delete a semaphore',
  } satisfies Record<ActionType, string>,
  noted: {
    'sign-in': 'signed in',
    refused: 'was refused',
    'grant-signed': 'signed an embed token for {subject}',
    'sign-in-refused': 'was refused a sign-in',
    'sign-out': 'signed out',
    'grant-created': 'made a share link for {subject}',
    'grant-paused': 'paused a share link for {subject}',
    'grant-resumed': 'resumed a share link for {subject}',
    'grant-revoked': 'revoked a share link for {subject}',
  } satisfies Partial<Record<AuditKind | 'grant-signed', Said>>,
  /** `{whom}`: the client; `how`: its known state. */
  whom: {
    holder: 'held by {whom}',
    session: 'called {whom}',
    ghosts: 'ghosts {whom}',
    /** The holder that the plan saw, where it was not hit. */
    meant: 'meant for the holder {whom}',
    /** `verdict` and `node`: `null` where nothing was known. */
    how: (verdict: string | null, node: string | null) =>
      [verdict === null ? [] : `${verdict} then`, node === null ? [] : `on node ${node}`].flat().join(', '),
  },
  /** The events of one subject. */
  followed: {
    /** Takers in order. `after`: `null` at the first look. `again`: a client that held it before. */
    taken: (came: readonly { who: string; again: boolean; after: string | null }[]) =>
      `taken ${came
        .map(({ who, again, after }) => {
          const at = after === null ? 'at once' : `after ${after}`;
          return again ? `again by ${who} with a new session ${at}` : `by ${who} ${at}`;
        })
        .join(', ')}`,
    takenUnseen: (after: string | null) => `taken ${after === null ? 'at once' : `after ${after}`}`,
    nobody: (time: string) => `no new holder in ${time}`,
    'in-delay': 'in lock-delay when watching stopped',
    session: (after: string | null) => `session gone ${after === null ? 'at once' : `after ${after}`}`,
    entry: (after: string | null) => `entry gone ${after === null ? 'at once' : `after ${after}`}`,
    notSeen: (time: string) => `no effect seen in ${time}`,
    /** A new limit, and the clients that waited when it was set. */
    limit: 'limit changed',
    permits: 'free permits changed',
    left: (who: string, n: number) => `${who} no longer ${n === 1 ? 'waits' : 'wait'}`,
    leftUnseen: (n: number) =>
      `${n} earlier ${n === 1 ? 'waiter no longer waits' : 'waiters no longer wait'}`,
    stillListed: (n: number) => `${n} still listed as waiting when watching stopped`,
    nobodyWaited: 'no waiters',
    joint: '; ',
    cutShort: 'The server stopped while watching.',
    more: (n: number) => `${n} more not watched.`,
  },
  refusedMore: (n: number) => `${n} more refusals came too fast to record one by one.`,
  aSession: 'a session',
  everything: 'the whole board',
  more: (n: number) => `and ${n} more`,
  reason: (reason: string) => `“${reason}”`,
  details: 'Rows of this entry',
  row: {
    seq: (seq: number) => `row ${seq}`,
    at: 'at',
    replica: 'written by',
    address: 'from',
    digest: 'digest',
    before: 'digest before',
    thread: 'thread',
    detail: 'Detail',
  },
  /** On the page of a lock or semaphore. */
  link: 'Audit',
  linkTitle: (name: string) => `Actions on ${name}, and by whom`,
};
