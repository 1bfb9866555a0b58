/**
 * What Signalbox knows about locks, in the words of the product. Pure data, the same on the server, on the
 * wire and in the browser; nothing here belongs to one backend.
 *
 * Glossary
 * - Lock: one key that one session at a time may hold.
 * - Semaphore: a prefix with a coordination entry (`<prefix>/.lock`: limit and holders) and one contender
 *   entry for every session that holds or wants a slot.
 * - Holder: a session recorded as holding. Waiter: a contender that does not hold.
 * - Recorded use: what the coordination entry says. Effective use: holders that are really there.
 *
 * `null` means "cannot tell" and is never the same as none or zero. Durations end in `Ms`; instants are epoch
 * milliseconds and end in `AtMs` or `UntilMs`. Indexes, flags and session ids are opaque strings: flags are
 * 64-bit and a JavaScript number would corrupt them.
 */
import type { LockLayout, SemaphoreLayout } from './layout';

/** What a screen, an action or a finding is about. */
export type Subject =
  | { readonly kind: 'lock'; readonly key: string }
  | { readonly kind: 'semaphore'; readonly prefix: string }
  | { readonly kind: 'session'; readonly id: string };

/** A stored value as it is. `text` when it is valid UTF-8 without control characters, else base64. */
export interface StoredValue {
  readonly encoding: 'text' | 'base64';
  /** The first `maxValueBytes` bytes at the most. */
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

/** Verdicts after which the process is likely dead; after any other it may well be at work. */
export const likelyDead: ReadonlySet<Verdict> = new Set<Verdict>(['suspect', 'overdue', 'ghost']);

/**
 * One fact behind a verdict, with where it was read. `detail` is the value of the fact (a node's name, a TTL),
 * `null` where the code says it all; `atMs` the instant of the fact, `null` when it has none. The sentence is the
 * interface's business.
 */
export interface Evidence {
  readonly code: EvidenceCode;
  readonly source: 'kv' | 'session' | 'catalog' | 'agent' | 'signalbox';
  readonly detail: string | null;
  readonly atMs: number | null;
}

export type EvidenceCode =
  | 'session-exists'
  | 'session-not-visible'
  | 'session-not-listed'
  | 'holds-entry'
  | 'recorded-as-holder'
  | 'no-entry-locked'
  | 'name-of-no-session'
  // Nothing is locked by it, under other flags than Go's: its program may keep a holder in the record alone.
  | 'may-need-no-entry'
  | 'view-incomplete'
  | 'ttl'
  | 'no-ttl'
  | 'no-checks'
  | 'node-checks-only'
  // Its node is a Consul server, so that node need not be the holder's machine. `detail`: the node.
  | 'server-node'
  // As above, and nothing but the checks of that node can end it.
  | 'bound-to-server'
  | 'node-passing'
  | 'node-critical'
  | 'node-gone'
  | 'node-unknown'
  | 'check-critical'
  | 'check-warning'
  | 'check-unknown'
  | 'checks-passing'
  // No renewal of this session is watched. `detail` is why: a state of `RenewalWatch`, or 'unseen'.
  | 'renewals-not-observed'
  // `atMs`: the last renewal seen; `detail`: the agent that it went through.
  | 'renewal-observed'
  // `atMs`: when the renewal after the last one was due.
  | 'renewal-overdue'
  // It outlived the silence, so it is renewed where nobody watches. `atMs`: when that was noticed.
  | 'renewals-elsewhere'
  // A leader election at `atMs` started the time of every session anew.
  | 'timers-restarted'
  // `detail`: "2 -> 3"; `atMs`: when the change was seen.
  | 'limit-changed-while-waiting'
  // The verdict rests on more than this person may see.
  | 'evidence-withheld';

/** Since when, and how we know. `at-least`: it was there when we first looked, so it may be older. */
export interface Since {
  readonly atMs: number;
  readonly basis: 'observed' | 'at-least' | 'value';
}

/** When the holder ends by itself if its process is dead. */
export interface Expiry {
  /**
   * `observed`: renewals are seen. While they come in time the instants move, and stand in `World.renewals` (here they
   * are `null`); once they have stopped, the last was at `lastRenewalMs` and the session ends by `latestMs`.
   * `bounded`: a TTL exists, so it ends within `withinMs` of its process's death (a leader election starts that time
   * anew). `with-node`: only its node's checks end it. `never`: nothing does.
   */
  readonly kind: 'observed' | 'bounded' | 'with-node' | 'never' | 'unknown';
  /** For `bounded` and `observed`: the longest time from the last renewal to the end. */
  readonly withinMs: number | null;
  readonly latestMs: number | null;
  readonly lastRenewalMs: number | null;
}

/** A session recorded as holding, or one that wants to. For a waiter the verdict speaks of its session. */
export interface Party {
  readonly sessionId: string;
  /** Name and node of the session, `null` when it is not visible. The whole session is in `World.sessions`. */
  readonly session: { readonly name: string; readonly node: string } | null;
  readonly verdict: Verdict;
  readonly evidence: readonly Evidence[];
  readonly since: Since | null;
  readonly expiry: Expiry;
  /** What the contender wrote into its entry, `null` when nothing or no entry. */
  readonly value: StoredValue | null;
  /** The shortest name a person would know it by: owner from the value, session name, or the shortened id. */
  readonly label: string;
}

export type Holder = Party;

/** A contender that does not hold. Its entry is `entryKey`, in order of arrival by `arrivedIndex`. */
export interface Waiter extends Party {
  readonly entryKey: string;
  /** The backend's creation index of the contender entry: the order of arrival. Grants do not follow it. */
  readonly arrivedIndex: string;
}

/**
 * How often a lock or semaphore changed hands: sessions that came to hold it, as far as Signalbox saw it happen, in
 * the `windowMs` before. `null` on its subject: not watched for so long without a gap.
 */
export interface Turnover {
  readonly changes: number;
  readonly windowMs: number;
}

/**
 * Why nobody can take a lock that nobody holds: a session that held it was ended while Signalbox watched, and the
 * backend refuses the key for that session's lock-delay. Derived, because the backend does not tell.
 */
export interface LockDelay {
  readonly sessionId: string;
  readonly sessionName: string;
  readonly node: string;
  /** When its end was seen: the delay began then or a moment before. */
  readonly seenAtMs: number;
  /** As applied: the backend caps it at 60 s, whatever the session says. */
  readonly lengthMs: number;
  readonly untilMs: number;
  /**
   * `seen`: the key was freed by the session's end. `likely`: several sessions came or went between two looks, so it
   * may have been released just before its session ended, and then there is no delay. `possible`: most likely it was
   * released just before; the lock is shown as free.
   */
  readonly basis: 'seen' | 'likely' | 'possible';
}

/** A record that an earlier holder left beside a lock that nobody holds. */
export interface LeftRecord {
  readonly key: string;
  /** Who wrote it, by its own word. */
  readonly who: string | null;
  readonly createdAtMs: number | null;
}

export interface Lock {
  readonly kind: 'lock';
  readonly key: string;
  readonly layout: LockLayout;
  readonly state: 'held' | 'free' | 'delayed' | 'unknown';
  readonly holder: Holder | null;
  /** Always `null` here: those who wait for a plain lock leave no trace in the backend. */
  readonly waiters: null;
  /** For `delayed`: until when the backend refuses the key, derived from an invalidation that we saw. */
  readonly delayedUntilMs: number | null;
  /** For `delayed`: the invalidation that we saw. For `free`: one that may have been (`possible`). */
  readonly delay: LockDelay | null;
  /**
   * False: the key is gone, deleted with the session that held it, and is listed only because its name is still under
   * the lock-delay. Then there is no value, and flags and indexes are '0', which is what the backend calls a missing key.
   */
  readonly exists: boolean;
  readonly turnover: Turnover | null;
  readonly value: StoredValue | null;
  /** Facts read from the layout's own records, e.g. Terraform's lock info: who, operation, path. */
  readonly details: readonly { readonly name: string; readonly value: string }[];
  /** Terraform's lock info, once its run has lost the lock or ended without unlocking. */
  readonly leftBehind: LeftRecord | null;
  readonly flags: string;
  readonly createIndex: string;
  readonly modifyIndex: string;
  /** Counts acquisitions: the fencing token. */
  readonly lockIndex: string;
  /** The backend takes no write of this key: only the end of its session frees it. Absent: it does, as far as is known. */
  readonly unwritable?: true;
}

export type SemaphoreProblemCode =
  | 'empty-value'
  | 'not-json'
  | 'not-utf8'
  | 'not-an-object'
  | 'limit-missing'
  | 'limit-not-integer'
  | 'limit-below-one'
  | 'holders-missing'
  | 'holders-wrong-type'
  | 'holder-not-a-session'
  | 'duplicate-holders'
  | 'holder-repeated'
  | 'duplicate-fields'
  | 'wrong-flags'
  | 'entry-missing'
  | 'unknown-fields';

/** Something about the coordination entry that a client may trip over. `detail` names the offending part. */
export interface SemaphoreProblem {
  readonly code: SemaphoreProblemCode;
  readonly detail: string | null;
}

export interface Semaphore {
  readonly kind: 'semaphore';
  /** Without the trailing slash: the coordination entry is `<prefix>/.lock`. */
  readonly prefix: string;
  readonly layout: SemaphoreLayout;
  /** `null` when the coordination entry cannot be read or is missing. */
  readonly limit: number | null;
  /** Holders that the coordination entry names; `null` when it cannot be read. */
  readonly recorded: number | null;
  /** Recorded holders that really are there; `null` when that cannot be told. */
  readonly effective: number | null;
  readonly holders: readonly Holder[];
  /**
   * Holders that are recorded, counted and not in `holders`, by verdict. They lock nothing here and have no session in view:
   * names, of which whoever may write the entry can write thousands. Absent: none.
   */
  readonly beyond?: { readonly ghost: number; readonly unknown: number };
  readonly waiters: readonly Waiter[];
  /** Entries of some who contend may be kept from whoever looks, so there may be more who wait. Absent: none is kept. */
  readonly part?: true;
  /** Contender entries that no session locks: left behind, harmless. */
  readonly leftovers: readonly string[];
  readonly turnover: Turnover | null;
  readonly problems: readonly SemaphoreProblem[];
  readonly value: StoredValue | null;
  /** Of the coordination entry; `null` when it is missing. */
  readonly flags: string | null;
  readonly createIndex: string | null;
  readonly modifyIndex: string | null;
  /** As of a lock: nothing recorded in the coordination entry can be changed. */
  readonly unwritable?: true;
}

export interface SessionCheck {
  readonly name: string;
  readonly status: 'passing' | 'warning' | 'critical' | 'unknown';
}

export interface Session {
  readonly id: string;
  readonly name: string;
  readonly node: string;
  /** `null`: no TTL, so it never ends by time. */
  readonly ttlMs: number | null;
  /** What happens to the keys it holds when it ends. */
  readonly behavior: 'release' | 'delete';
  /** As applied: the backend caps it at 60 s, whatever the session says. */
  readonly lockDelayMs: number;
  readonly checks: readonly SessionCheck[];
  readonly nodeStatus: 'passing' | 'critical' | 'gone' | 'unknown';
  readonly holds: readonly Subject[];
  readonly wants: readonly Subject[];
  /** Since when it has been seen. */
  readonly since: Since;
  readonly createIndex: string;
}

/**
 * The renewals of one session as they come: apart from the locks that it holds, because they move every few seconds
 * and hardly ever change a verdict. Only for sessions that hold or want something, and of which one was seen.
 */
export interface Renewal {
  readonly id: string;
  /** The last one that was seen. */
  readonly lastMs: number;
  /** From when silence counts: overdue a TTL after it, ended two TTLs after it. Later than `lastMs` after a gap. */
  readonly fromMs: number;
}

/** Everything a provider can say about the locks in view, at one moment. Lists are sorted by key, prefix, id. */
export interface World {
  readonly locks: readonly Lock[];
  readonly semaphores: readonly Semaphore[];
  readonly sessions: readonly Session[];
  /**
   * `whole`: everything in the backend was read, with a credential that may read it. `part`: some prefixes only, or nothing
   * proves that none was kept from the credential, so what a session holds outside of what was read is not known. Absent: cannot tell.
   */
  readonly scope?: 'whole' | 'part';
  /** Sorted by id. Absent: not looked for. */
  readonly renewals?: readonly Renewal[];
}

/** One string for a subject, unique over kinds: for React keys, maps and the audit. */
export function subjectId(subject: Subject): string {
  switch (subject.kind) {
    case 'lock':
      return `lock:${subject.key}`;
    case 'semaphore':
      return `semaphore:${subject.prefix}`;
    case 'session':
      return `session:${subject.id}`;
  }
}

/** A session id as a person reads it: first and last four characters. Anything that is not a UUID stays whole. */
export function shortId(id: string): string {
  return id.length === 36 ? `${id.slice(0, 4)}…${id.slice(-4)}` : id;
}
