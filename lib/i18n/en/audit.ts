/** English: the audit. Who did what, why, what came of it, and whether the record is whole. */
import type { ActionType } from '@/lib/domain/actions/action';
import type { AuditKind } from '@/lib/domain/actions/audit';
import type { DeedState } from '@/lib/domain/actions/deed';
import { capital } from './plural';
import { shell } from './shell';

/** What somebody did. `{subject}`, `{session}` and `{limit}` stand for what is shown there as it is. */
type Said = string;

const rows = (n: number) => `${n.toLocaleString('en')} ${n === 1 ? 'row' : 'rows'}`;

export const audit = {
  title: shell.nav.audit,
  /** On top of the page, by what one sees. */
  sentence: {
    all: 'Everything that was done and refused through Signalbox, newest first.',
    part: 'What you did, and what others did to keys that your token may read, newest first.',
  },
  part: 'Other rows are left out: what was done to keys that your token may not read, what was done to sessions, and the sign-ins and share links of others. A token with acl:read sees everything.',
  chain: {
    label: 'State of the record',
    checking: 'Checking that no row was changed or taken out…',
    whole: (n: number, time: string) =>
      `The record is whole: ${rows(n)} checked at ${time}, each fits the one before.`,
    empty: (time: string) => `The record is empty, seen at ${time}.`,
    broken: (row: number, fits: number, time: string) =>
      `Row ${row} does not fit: it or a row before it was changed or taken out. ${capital(rows(fits))} before it fit. Checked at ${time}.`,
    failed: 'Whether the record is whole could not be found out right now.',
    again: 'Check again',
    head: 'digest of the last row',
    headHelp: 'Note it elsewhere from time to time: it shows later whether rows were cut off at the end.',
  },
  filters: {
    label: 'Narrow the list',
    person: 'Person',
    personHelp: 'name or part of it',
    subject: 'Subject',
    subjectHelp: 'key, prefix or session',
    what: 'What',
    outcome: 'Outcome',
    from: 'From',
    to: 'To',
    any: 'any',
    apply: 'Show',
    clear: 'Clear filters',
  },
  export: {
    label: 'Export what is shown here, all pages',
    csv: 'Export CSV',
    jsonl: 'Export JSON lines',
    note: 'CSV is for reading. The chain is checked on JSON lines.',
  },
  table: 'What was done, newest first',
  older: 'Older',
  newest: 'Back to the newest',
  look: 'Look again',
  shown: (n: number, more: boolean) =>
    `${n} ${n === 1 ? 'entry' : 'entries'}${more ? '; there are older ones' : ', and none is older'}.`,
  shownSome: (n: number) => `${n} found so far; older rows have not been looked through yet.`,
  empty: {
    none: 'Nothing has been recorded yet.',
    noneText: 'Each action that is applied or refused, each sign-in and each share link appears here.',
    filtered: 'Nothing recorded matches.',
    filteredText: 'Change or clear the filters. Rows that you may not see are never counted.',
    older: 'Nothing in this stretch matches.',
    olderText: 'Older rows have not been looked through yet.',
  },
  failed: {
    title: 'The audit cannot be read right now.',
    text: 'The store of this server does not answer. While that is so, no action is begun either.',
    query: 'This address asks for something that is not understood.',
    queryText: 'A filter, or the place to go on from, has a value that does not fit. Start from the newest.',
    signIn: 'Sign in to see the audit.',
    signInText:
      'Consul asks who somebody is here, so the audit is shown only to those who have signed in with a token of their own.',
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
    done: 'Done, as Consul told or as was read afterwards.',
    partly: 'Some parts were done, the others refused.',
    refused: 'Nothing was written.',
    unknown: 'Nobody can tell whether it was done: look at the state in Consul.',
    'under-way': 'Begun a moment ago; what came of it is not written yet.',
  } satisfies Record<DeedState, string>,
  serverEnded: 'The server ended before it could write what came of it.',
  kinds: {
    intent: 'begun',
    outcome: 'what came of it',
    followed: 'seen to follow',
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
  /** What was done, after the name of who did it. */
  did: {
    'lock.release': 'released {subject}',
    'hand-over': 'handed over {subject}',
    'semaphore.evict': 'evicted {session} from {subject}',
    'slot-only': 'took the slot of {session} in {subject}',
    'semaphore.prune': 'pruned {subject}',
    'semaphore.resize': 'set the limit of {subject} to {limit}',
    'session.destroy': 'destroyed session {subject}',
    'lock.delete': 'deleted the lock {subject}',
    'semaphore.delete': 'deleted the semaphore {subject}',
  } satisfies Record<ActionType | 'hand-over' | 'slot-only', Said>,
  /** The same where it was not done, or nobody knows. */
  asked: {
    'lock.release': 'asked to release {subject}',
    'hand-over': 'asked to hand over {subject}',
    'semaphore.evict': 'asked to evict {session} from {subject}',
    'slot-only': 'asked to take the slot of {session} in {subject}',
    'semaphore.prune': 'asked to prune {subject}',
    'semaphore.resize': 'asked to set the limit of {subject} to {limit}',
    'session.destroy': 'asked to destroy session {subject}',
    'lock.delete': 'asked to delete the lock {subject}',
    'semaphore.delete': 'asked to delete the semaphore {subject}',
  } satisfies Record<ActionType | 'hand-over' | 'slot-only', Said>,
  actions: {
    'lock.release': 'release a lock',
    'semaphore.evict': 'evict a holder',
    'semaphore.prune': 'prune ghosts',
    'semaphore.resize': 'set a limit',
    'session.destroy': 'destroy a session',
    'lock.delete': 'delete a lock',
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
  /** Whom it hit, as the view showed them before: `{whom}` stands for who, `how` for what is known of them. */
  whom: {
    holder: 'held by {whom}',
    session: 'called {whom}',
    ghosts: 'ghosts {whom}',
    /** Who held it as the plan saw it, where it was not done. */
    meant: 'meant for the holder {whom}',
    /** `verdict` and `node`: `null` where nothing was known. */
    how: (verdict: string | null, node: string | null) =>
      [verdict === null ? [] : `${verdict} then`, node === null ? [] : `on node ${node}`].flat().join(', '),
  },
  /** What was seen to follow, of one subject. */
  followed: {
    /** One after the other. `after` is `null` where it was so at the first look. `again`: a client that held it before. */
    taken: (came: readonly { who: string; again: boolean; after: string | null }[]) =>
      `taken ${came
        .map(({ who, again, after }) => {
          const at = after === null ? 'at once' : `after ${after}`;
          return again ? `again by ${who} with a new session ${at}` : `by ${who} ${at}`;
        })
        .join(', ')}`,
    takenUnseen: (after: string | null) => `taken ${after === null ? 'at once' : `after ${after}`}`,
    nobody: (time: string) => `nobody came in ${time}`,
    'in-delay': 'in lock-delay when watching ended',
    session: (after: string | null) => `session gone ${after === null ? 'at once' : `after ${after}`}`,
    entry: (after: string | null) => `entry gone ${after === null ? 'at once' : `after ${after}`}`,
    notSeen: (time: string) => `no effect seen in ${time}`,
    /** Of a new limit, and of those who waited when it was set. */
    limit: 'limit changed',
    left: (who: string, n: number) => `${who} ${n === 1 ? 'waits' : 'wait'} no longer`,
    leftUnseen: (n: number) => `${n} of those who waited ${n === 1 ? 'waits' : 'wait'} no longer`,
    stillListed: (n: number) => `${n} still listed as waiting when watching ended`,
    nobodyWaited: 'nobody waited',
    joint: '; ',
    cutShort: 'The server ended while it was watching.',
    more: (n: number) => `${n} more were not watched.`,
  },
  refusedMore: (n: number) => `${n} more refusals came too fast to be written one by one.`,
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
  linkTitle: (name: string) => `What was done to ${name}, and by whom`,
};
