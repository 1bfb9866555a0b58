/**
 * The product's model of locks. Pure data, the same on the server, on the wire and in the browser; nothing here
 * belongs to one backend.
 *
 * Glossary
 * - Lock: one key that one session at a time may hold.
 * - Semaphore: a prefix with a coordination entry (`<prefix>/.lock`: limit and holders) and one contender entry
 *   for every session that holds or wants a slot.
 * - Holder: a session recorded as holding. Waiter: a contender that does not hold.
 * - Recorded use: holders that the coordination entry names. Effective use: holders that are really there.
 *
 * `null` means "cannot tell", never none or zero. Durations end in `Ms`; instants are epoch milliseconds and
 * end in `AtMs` or `UntilMs`. Indexes, flags and session ids are opaque strings: flags are 64-bit, and a
 * JavaScript number would corrupt them.
 */
import type { ConsulEntryProblem, ConsulEvidence } from '@/lib/domain/codes/consul';
import type { RedisEvidence } from '@/lib/domain/codes/redis';
import type { StandInEvidence } from '@/lib/domain/codes/stand-in';
import type { ZooKeeperEvidence } from '@/lib/domain/codes/zookeeper';
import type { LockLayout, SemaphoreLayout } from './layout';
import { firstSource, type SourceId } from './source';

/** The topic of a screen, an action or a finding. */
export type Subject = { readonly source: SourceId } & (
  | { readonly kind: 'lock'; readonly key: string }
  | { readonly kind: 'semaphore'; readonly prefix: string }
  | { readonly kind: 'session'; readonly id: string }
);

/** `text` when the value is valid UTF-8 without control characters, else base64. */
export interface StoredValue {
  readonly encoding: 'text' | 'base64';
  /** At most the first `maxValueBytes` bytes. */
  readonly content: string;
  /** Length of the whole value. */
  readonly bytes: number;
  readonly truncated: boolean;
}

export const verdicts = [
  'alive',
  'overdue',
  'suspect',
  'node-bound',
  'immortal',
  'ghost',
  'unknown',
] as const;

export type Verdict = (typeof verdicts)[number];

/** The verdicts on a process that is probably dead. After any other one the process may be at work. */
export const likelyDead: ReadonlySet<Verdict> = new Set<Verdict>(['suspect', 'overdue', 'ghost']);

/**
 * One fact behind a verdict. `detail` is its value (a node's name, a TTL), `null` where the code is enough; `atMs` its
 * instant, or `null`.
 */
export interface Evidence {
  readonly code: EvidenceCode;
  /** The place where the fact was read, in the provider's words. The set is open. */
  readonly source: string;
  readonly detail: string | null;
  readonly atMs: number | null;
}

export type EvidenceCode = ConsulEvidence | RedisEvidence | StandInEvidence | ZooKeeperEvidence;

/** The beginning of a hold, a wait or a session. `at-least`: it was there when Signalbox first looked. */
export interface Since {
  readonly atMs: number;
  readonly basis: 'observed' | 'at-least' | 'value';
}

/** The end of the holder if its process is dead. */
export interface Expiry {
  /**
   * - `observed`: Signalbox sees its renewals. While they are on time, the instants move. They are `null` here and stand
   *   in `World.renewals`. After the last one, at `lastRenewalMs`, the session ends by `latestMs`.
   * - `bounded`: a TTL ends it within `withinMs` of its process's death. A leader election restarts that clock.
   * - `with-node`: only its node's checks end it.
   * - `never`: nothing ends it.
   * - `lease`: its own lease ends it at `latestMs` unless renewed.
   */
  readonly kind: 'observed' | 'bounded' | 'with-node' | 'never' | 'lease' | 'unknown';
  /** For `bounded` and `observed`: the longest time from the last renewal to the end. */
  readonly withinMs: number | null;
  readonly latestMs: number | null;
  readonly lastRenewalMs: number | null;
}

/** A session that is recorded as a holder, or waits. */
export interface Party {
  /** The id of the session. In a backend without sessions, the id of the holder itself. */
  readonly sessionId: string;
  /**
   * `null` when the session is not visible, or the backend has none. The whole session is in `World.sessions`.
   */
  readonly session: { readonly name: string; readonly node: string } | null;
  readonly verdict: Verdict;
  readonly evidence: readonly Evidence[];
  readonly since: Since | null;
  readonly expiry: Expiry;
  /** The value of the contender's own entry; `null` when there is none. */
  readonly value: StoredValue | null;
  /** Owner from the value, session name, or the shortened id. */
  readonly label: string;
  /** The use of a read-write lock that the party has or wants. Absent: it has or wants the lock alone. */
  readonly mode?: 'read' | 'write';
  /** The number of times that it has taken the lock without letting go, or of its permits. Absent: one. */
  readonly count?: number;
}

export type Holder = Party;

export interface Waiter extends Party {
  /** The key of the waiter's own entry. Absent: it has none. */
  readonly entryKey?: string;
  /**
   * The backend's creation index of the entry: the order of arrival. Grants do not follow it. Absent: the
   * backend has no such index.
   */
  readonly arrivedIndex?: string;
}

/** The number of new holders in the last `windowMs`. `null` on its subject: not watched for that long without a gap. */
export interface Turnover {
  readonly changes: number;
  readonly windowMs: number;
}

/**
 * A session's end was seen, and the backend refuses the key for the session's lock-delay, so a free lock cannot be
 * taken. Signalbox concludes this, because the backend does not report it.
 */
export interface LockDelay {
  readonly sessionId: string;
  readonly sessionName: string;
  readonly node: string;
  /** The delay began at this instant or a moment before. */
  readonly seenAtMs: number;
  /** The applied length, which the backend caps at 60 s. */
  readonly lengthMs: number;
  readonly untilMs: number;
  /**
   * - `seen`: the session's end freed the key.
   * - `likely`: several sessions came or went between two looks. A release just before the end would leave no
   *   delay.
   * - `possible`: most likely released just before the end; the lock is shown as free.
   */
  readonly basis: 'seen' | 'likely' | 'possible';
}

/** A record that an earlier holder left beside a free lock. */
export interface LeftRecord {
  readonly key: string;
  /** The writer's own name for itself. */
  readonly who: string | null;
  readonly createdAtMs: number | null;
}

export interface Lock {
  readonly kind: 'lock';
  readonly source: SourceId;
  readonly key: string;
  readonly layout: LockLayout;
  readonly state: 'held' | 'free' | 'delayed' | 'unknown';
  readonly holder: Holder | null;
  /** Further readers of a read-write lock, beside `holder`. Absent: none. */
  readonly readers?: readonly Holder[];
  /** In the backend's order. `null` where waiters leave no trace in the backend (`capabilities.ts`). */
  readonly waiters: readonly Waiter[] | null;
  /** The number of waiting clients, where the backend counts them and names none. Absent: not counted. */
  readonly waitingClients?: number;
  /**
   * Clients that waited when a writer released and read on without a message to them. They may want to read, and could,
   * or to write. Absent: none is known.
   */
  readonly unwoken?: { readonly clients: number; readonly evidence: readonly Evidence[] };
  /** For `delayed`: the instant until which the backend refuses the key. */
  readonly delayedUntilMs: number | null;
  /** For `delayed`: the end of a session that Signalbox saw. For `free`: a possible one. */
  readonly delay: LockDelay | null;
  /**
   * False: the key was deleted with its holder's session, and only its name is under the lock-delay. It has no value,
   * and its flags and indexes are '0'.
   */
  readonly exists: boolean;
  readonly turnover: Turnover | null;
  readonly value: StoredValue | null;
  /** Facts from the layout's own records, e.g. Terraform's lock info: who, operation, path. */
  readonly details: readonly { readonly name: string; readonly value: string }[];
  /** Terraform's lock info, once its run has lost the lock or ended without unlocking. */
  readonly leftBehind: LeftRecord | null;
  /** The flags and the indexes are absent where the backend has no such fact. */
  readonly flags?: string;
  readonly createIndex?: string;
  readonly modifyIndex?: string;
  /** Counts acquisitions: the fencing token. */
  readonly lockIndex?: string;
  /**
   * The backend takes no write of this key: only the end of its session frees it. Absent: writable, as far as is known.
   */
  readonly unwritable?: true;
}

export type SemaphoreProblemCode = ConsulEntryProblem;

/** A flaw that a client may trip over. `detail` names the offending part. */
export interface SemaphoreProblem {
  readonly code: SemaphoreProblemCode;
  readonly detail: string | null;
}

export interface Semaphore {
  readonly kind: 'semaphore';
  readonly source: SourceId;
  /** The prefix without its trailing slash. The coordination entry is `<prefix>/.lock`. */
  readonly prefix: string;
  readonly layout: SemaphoreLayout;
  /** `null` when the coordination entry is missing or unreadable, or the backend does not store it. */
  readonly limit: number | null;
  /**
   * The origin of a limit that the backend does not store. Absent: stored.
   * - `configured`: Signalbox's operator has named it.
   * - `inferred`: that many hold, and another client waits.
   * - `at-least`: that many hold, and more may be able to.
   */
  readonly limitBasis?: 'configured' | 'inferred' | 'at-least';
  /** The number of free permits, where the backend stores that instead of the holders. Absent: it names holders. */
  readonly available?: number | null;
  /** Holders that the coordination entry names; `null` when unreadable. */
  readonly recorded: number | null;
  /** Recorded holders that are really there; `null` when unknown. */
  readonly effective: number | null;
  readonly holders: readonly Holder[];
  /**
   * Recorded holders that are only counted, by verdict. They are names without a lock here or a session in view, which
   * a writer of the entry can add by the thousand. Absent: none.
   */
  readonly beyond?: { readonly ghost: number; readonly unknown: number };
  readonly waiters: readonly Waiter[];
  /** The number of waiting clients, where the backend counts them and names none. Absent: not counted. */
  readonly waitingClients?: number;
  /** Some contender entries may be hidden. Absent: none. */
  readonly part?: true;
  /** Contender entries that no session locks. They were left behind, and are harmless. */
  readonly leftovers: readonly string[];
  readonly turnover: Turnover | null;
  readonly problems: readonly SemaphoreProblem[];
  readonly value: StoredValue | null;
  /** Flags of the coordination entry; `null` when it is missing. Absent where the backend has no such fact. */
  readonly flags?: string | null;
  readonly createIndex?: string | null;
  readonly modifyIndex?: string | null;
  /** The backend takes no write of the coordination entry. Absent: writable, as far as is known. */
  readonly unwritable?: true;
}

export interface SessionCheck {
  readonly name: string;
  readonly status: 'passing' | 'warning' | 'critical' | 'unknown';
}

export interface Session {
  readonly source: SourceId;
  readonly id: string;
  readonly name: string;
  readonly node: string;
  /** `null`: time never ends it. */
  readonly ttlMs: number | null;
  /** The fate of the session's keys when it ends. */
  readonly behavior: 'release' | 'delete';
  /** The applied length, which the backend caps at 60 s. */
  readonly lockDelayMs: number;
  readonly checks: readonly SessionCheck[];
  readonly nodeStatus: 'passing' | 'critical' | 'gone' | 'unknown';
  readonly holds: readonly Subject[];
  readonly wants: readonly Subject[];
  readonly since: Since;
  readonly createIndex: string;
}

/**
 * The last renewal of a session that holds or wants something and was seen to renew. It is apart from the locks, because
 * renewals move every few seconds and hardly ever change a verdict.
 */
export interface Renewal {
  /** Absent: the first source. Renewals are sent every few seconds, and most of them are of the first source. */
  readonly source?: SourceId;
  readonly id: string;
  readonly lastMs: number;
  /** Silence counts from here: overdue a TTL after it, ended two TTLs after it. Later than `lastMs` after a gap. */
  readonly fromMs: number;
}

/**
 * Everything a provider knows about the locks in view at one moment. Lists are sorted by `rowName` of source and
 * key, prefix or id, in code unit order.
 */
export interface World {
  readonly locks: readonly Lock[];
  readonly semaphores: readonly Semaphore[];
  readonly sessions: readonly Session[];
  /**
   * `whole`: Signalbox read all of the backend, with a credential that may read it. `part`: some rows may be missing or
   * hidden, so a session may hold more. Absent: unknown.
   */
  readonly scope?: 'whole' | 'part';
  /** Sorted by id. Absent: not looked for. */
  readonly renewals?: readonly Renewal[];
}

/** The key, prefix or id of a subject. */
export const subjectName = (of: Subject): string =>
  of.kind === 'lock' ? of.key : of.kind === 'semaphore' ? of.prefix : of.id;

/**
 * An id that is unique over all kinds and sources, for React keys, maps and the audit. It leaves out the first source,
 * so that ids from before there were several still mean that one.
 */
export function subjectId(subject: Subject): string {
  const id = `${subject.kind}:${subjectName(subject)}`;
  return subject.source === firstSource ? id : `${subject.source}!${id}`;
}

/** The first and last four characters of a UUID. Any other name stays whole. */
export function shortId(id: string): string {
  return id.length === 36 ? `${id.slice(0, 4)}…${id.slice(-4)}` : id;
}
