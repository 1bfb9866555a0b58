/** The data of `/api/v1/snapshot` and `/api/v1/events`. */
import { z } from 'zod';
import type * as M from '@/lib/domain/model';
import type { RenewalWatch, SourceState } from '@/lib/domain/source-state';
import type { Patch, RowEdit } from '@/lib/domain/world/change';
import type { Edit, ListEdit, ListPart, ObjectEdit } from '@/lib/domain/world/edit';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { flag, instant, list, maybe, number, object, orNull, span, text, word } from './schema-exact';
import { finding } from './schema-finding';
import {
  evidence,
  lockLayout,
  semaphoreLayout,
  semaphoreProblemCode,
  storedValue,
  subject,
  verdict,
} from './schema-ground';
import { problem } from './schema-problem';

const since = object<M.Since>()({
  atMs: instant,
  basis: word<M.Since['basis']>({ observed: true, 'at-least': true, value: true }).describe(
    '`at-least`: it was there when Signalbox first looked, so it may be older. `value`: read from a record.',
  ),
});

const expiry = object<M.Expiry>()({
  kind: word<M.Expiry['kind']>({
    observed: true,
    bounded: true,
    'with-node': true,
    never: true,
    lease: true,
    unknown: true,
  }),
  withinMs: orNull(span),
  latestMs: orNull(instant),
  lastRenewalMs: orNull(instant),
}).describe('When the holder ends by itself if its process is dead.');

const partyFields = {
  sessionId: text,
  session: orNull(object<NonNullable<M.Party['session']>>()({ name: text, node: text })),
  verdict,
  evidence: list(evidence),
  since: orNull(since),
  expiry,
  value: orNull(storedValue),
  label: text,
  mode: maybe(word<NonNullable<M.Party['mode']>>({ read: true, write: true })).describe(
    'How it has, or wants, a read-write lock.',
  ),
  count: maybe(number).describe('Re-entries, or permits; absent: one.'),
};
export const party = object<M.Party>()(partyFields).describe('A session recorded as holding.');
export const waiter = object<M.Waiter>()({
  ...partyFields,
  entryKey: maybe(text),
  arrivedIndex: maybe(text),
}).describe(
  'A contender that does not hold. Consul grants by race, not in the order of arrival. Its entry and index are there where the backend has them.',
);

const turnover = object<M.Turnover>()({ changes: number, windowMs: span });

const lockDelay = object<M.LockDelay>()({
  sessionId: text,
  sessionName: text,
  node: text,
  seenAtMs: instant,
  lengthMs: span,
  untilMs: instant,
  basis: word<M.LockDelay['basis']>({ seen: true, likely: true, possible: true }),
}).describe('Why nobody can take a lock that nobody holds. Derived from an end of a session that was seen.');

const sourceId = text.describe('The source that it is in: `consul` where one is configured.');

const unwritable = maybe(z.literal(true)).describe(
  'Consul refuses every write of this name. Only the end of the session that holds it frees it.',
);

export const lock = object<M.Lock>()({
  source: sourceId,
  kind: word<'lock'>({ lock: true }),
  key: text,
  layout: lockLayout,
  state: word<M.Lock['state']>({ held: true, free: true, delayed: true, unknown: true }),
  holder: orNull(party),
  waiters: orNull(list(waiter)).describe(
    '`null` where the backend does not record who waits, as Consul does for a plain lock.',
  ),
  readers: maybe(list(party)).describe('Further readers of a read-write lock, beside the holder.'),
  waitingClients: maybe(number).describe('Clients that wait, where the backend counts them and names none.'),
  unwoken: maybe(
    object<NonNullable<M.Lock['unwoken']>>()({ clients: number, evidence: list(evidence) }),
  ).describe(
    'Clients that were waiting when a writer let go and read on without a message to them. Readers among them sleep.',
  ),
  delayedUntilMs: orNull(instant),
  delay: orNull(lockDelay),
  exists: flag,
  turnover: orNull(turnover),
  value: orNull(storedValue),
  details: list(object<M.Lock['details'][number]>()({ name: text, value: text })),
  leftBehind: orNull(object<M.LeftRecord>()({ key: text, who: orNull(text), createdAtMs: orNull(instant) })),
  flags: maybe(text).describe('This and the indexes are there where the backend has them; Consul does.'),
  createIndex: maybe(text),
  modifyIndex: maybe(text),
  lockIndex: maybe(text),
  unwritable,
}).describe('One key that one session at a time may hold.');

const semaphoreProblem = object<M.SemaphoreProblem>()({ code: semaphoreProblemCode, detail: orNull(text) });

export const semaphore = object<M.Semaphore>()({
  source: sourceId,
  kind: word<'semaphore'>({ semaphore: true }),
  prefix: text,
  layout: semaphoreLayout,
  limit: orNull(number),
  recorded: orNull(number),
  effective: orNull(number),
  holders: list(party),
  beyond: object<NonNullable<M.Semaphore['beyond']>>()({ ghost: number, unknown: number })
    .optional()
    .describe(
      'Holders that are recorded and not listed, by verdict: names that lock nothing here and whose session is not in view.',
    ),
  waiters: list(waiter),
  limitBasis: maybe(
    word<NonNullable<M.Semaphore['limitBasis']>>({ configured: true, inferred: true, 'at-least': true }),
  ).describe('How the limit is known where the backend does not store it.'),
  available: maybe(orNull(number)).describe(
    'Permits stored as free, where the backend stores that instead of the holders.',
  ),
  waitingClients: maybe(number).describe('Clients that wait, where the backend counts them and names none.'),
  part: maybe(z.literal(true)).describe(
    'Entries of some who contend may be kept from whoever asks: there may be more waiters.',
  ),
  leftovers: list(text),
  turnover: orNull(turnover),
  problems: list(semaphoreProblem),
  value: orNull(storedValue),
  flags: maybe(orNull(text)),
  createIndex: maybe(orNull(text)),
  modifyIndex: maybe(orNull(text)),
  unwritable,
}).describe(
  'A prefix with a coordination entry, which stores a limit and the holders. `recorded`: holders that the entry names; `effective`: those that are really there.',
);

const status = word<M.SessionCheck['status']>({
  passing: true,
  warning: true,
  critical: true,
  unknown: true,
});

export const session = object<M.Session>()({
  source: sourceId,
  id: text,
  name: text,
  node: text,
  ttlMs: orNull(span),
  behavior: word<M.Session['behavior']>({ release: true, delete: true }),
  lockDelayMs: span,
  checks: list(object<M.SessionCheck>()({ name: text, status })),
  nodeStatus: word<M.Session['nodeStatus']>({ passing: true, critical: true, gone: true, unknown: true }),
  holds: list(subject),
  wants: list(subject),
  since,
  createIndex: text,
});

export const renewal = object<M.Renewal>()({
  source: maybe(sourceId),
  id: text,
  lastMs: instant,
  fromMs: instant,
}).describe('Renewals of one session, as seen on the log of an agent.');

const renewalWatch = object<RenewalWatch>()({
  agent: text,
  state: word<RenewalWatch['state']>({
    observed: true,
    connecting: true,
    forbidden: true,
    unreachable: true,
    'no-servers': true,
    off: true,
  }),
  sinceMs: orNull(instant),
});

export const source: z.ZodType<SourceState> = object<SourceState>()({
  id: sourceId,
  title: text,
  provider: text,
  datacenter: orNull(text),
  across: maybe(object<NonNullable<SourceState['across']>>()({ from: orNull(text) })).describe(
    'Read through an agent of another datacenter (`from`; null: not known which). Renewals through agents there are not seen unless those are followed. Absent: the agent is in this datacenter.',
  ),
  origin: text,
  state: word<SourceState['state']>({ live: true, 'catching-up': true, stale: true, down: true }),
  lastContactMs: orNull(instant),
  staleSinceMs: orNull(instant),
  endsSeenSinceMs: orNull(instant),
  restoredAtMs: orNull(instant).describe(
    'When Consul was last found put back to an earlier state, by a snapshot that was restored. Null: that was not seen.',
  ),
  renewals: list(renewalWatch),
  problem: orNull(problem),
  sight: maybe(z.literal('own')).describe(
    'What is shown is judged by what the token of whoever asks may read alone: the server’s own may not read everything.',
  ),
  reach: maybe(word<NonNullable<SourceState['reach']>>({ part: true, none: true })).describe(
    'Of an embed: whether its maker may read all of its scope now. `none`: nothing of it. `part`: not all, or it is not known. Absent: all.',
  ),
  rightsEveryMs: maybe(span).describe(
    'How often the rights of whoever asks are checked again, where that is less often than every 5 s. A right that was taken away may be shown for so long.',
  ),
  readOnly: maybe(z.literal(true)).describe('This console shows the source and takes no action on it.'),
  parts: maybe(list(z.lazy(() => source) as unknown as z.ZodType<SourceState>)).describe(
    'Where several sources are configured: each by itself. What stands beside it is the worst of them.',
  ),
}).describe('How fresh the data is. Anything but `live` is old, and actions are refused.');

export const snapshot = object<Snapshot>()({
  version: number,
  asOfMs: instant,
  source,
  locks: list(lock),
  semaphores: list(semaphore),
  sessions: list(session),
  findings: list(finding),
  scope: maybe(word<NonNullable<Snapshot['scope']>>({ whole: true, part: true })),
  renewals: maybe(list(renewal)),
});

/** Edits contain edits. */
export const edit: z.ZodType<Edit> = z.lazy(() =>
  z.union([objectEdit, listEdit]).describe('What differs in a value.'),
) as unknown as z.ZodType<Edit>;
const members = z.record(z.string(), z.unknown());
/** A new schema for each: the document would give a shared one a generated name. */
const objectEditFields = () => ({
  set: maybe(members),
  drop: maybe(list(text)),
  in: maybe(z.record(z.string(), edit)),
});
const objectEdit = object<ObjectEdit>()(objectEditFields()).describe(
  'Of an object: members with new values, names of members that are gone, and members that are edited in turn. What is not named stays.',
);
const listPart = z.union([
  z.strictObject({ from: number, count: number }),
  z.strictObject({ at: number, edit }),
  z.strictObject({ put: z.unknown() }),
]) as z.ZodType<ListPart>;
const listEdit = object<ListEdit>()({ list: list(listPart) }).describe(
  'Of a list: the new list piece by piece. `from`, `count`: as many items of the list before from that place on; `at`, `edit`: the item from that place, edited; `put`: a new item.',
);
export const rowEdit = object<RowEdit>()({
  of: text,
  source: maybe(text),
  ...objectEditFields(),
}).describe(
  'What differs in the row `of`: a key, prefix or id. `source`: the source that it is in; absent: the first, `consul`.',
);

/** A new schema for each, as for edits. */
const removed = () =>
  object<Patch['remove']>()({
    locks: maybe(list(text)),
    semaphores: maybe(list(text)),
    sessions: maybe(list(text)),
    findings: maybe(list(text)),
    renewals: maybe(list(text)),
  });

export const patch = object<Patch>()({
  from: number,
  to: number,
  asOfMs: instant,
  source: maybe(source),
  put: object<Patch['put']>()({
    locks: maybe(list(lock)),
    semaphores: maybe(list(semaphore)),
    sessions: maybe(list(session)),
    findings: maybe(list(finding)),
    renewals: maybe(list(renewal)),
  }),
  edit: object<Patch['edit']>()({
    locks: maybe(list(rowEdit)),
    semaphores: maybe(list(rowEdit)),
    sessions: maybe(list(rowEdit)),
    findings: maybe(list(rowEdit)),
  }),
  remove: removed(),
  removeIn: maybe(z.record(z.string(), removed())).describe(
    'What is gone of each source but the first, by its id. `remove` is about the first.',
  ),
}).describe(
  'What differs from version `from` to version `to`: rows to add or to put in the place of others, edits of rows that are there, and names of rows that are gone.',
);
