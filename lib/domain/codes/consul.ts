/**
 * The sentences that only Consul's provider needs, as codes with facts. Each has its words in
 * `lib/i18n/{en,zh}/{providers,rest}/consul.ts`, refusals in `providers/consul-refusal.ts`, evidence and flaws of an
 * entry in `rest/evidence.ts`. Without them the languages do not compile.
 */
import type { Nothing } from './nothing';

export type ConsulLockLayout =
  | 'go-lock'
  | 'consul-lock'
  | 'terraform'
  | 'vault'
  | 'patroni-leader'
  | 'patroni-member'
  | 'consul-template'
  | 'consul-esm'
  | 'java-lock'
  | 'plain';
export type ConsulSemaphoreLayout = 'go-semaphore' | 'guide-list' | 'java-semaphore' | 'unreadable';

/** The flaws of a coordination entry. */
export type ConsulEntryProblem =
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

/** One fact behind a verdict; its `detail` and `atMs` are as the code says. */
export type ConsulEvidence =
  | 'session-exists'
  | 'session-not-visible'
  | 'session-not-listed'
  | 'holds-entry'
  | 'recorded-as-holder'
  | 'no-entry-locked'
  | 'name-of-no-session'
  // Locks nothing, under other flags than Go's: its program may keep a holder in the record alone.
  | 'may-need-no-entry'
  | 'view-incomplete'
  | 'ttl'
  | 'no-ttl'
  | 'no-checks'
  | 'node-checks-only'
  // The node is a Consul server, so it need not be the holder's machine. `detail`: the node.
  | 'server-node'
  // As above, and only that node's checks can end the session.
  | 'bound-to-server'
  | 'node-passing'
  | 'node-critical'
  | 'node-gone'
  | 'node-unknown'
  | 'check-critical'
  | 'check-warning'
  | 'check-unknown'
  | 'checks-passing'
  // `detail` is why: a state of `RenewalWatch`, or 'unseen'.
  | 'renewals-not-observed'
  // `atMs`: the last renewal seen; `detail`: the agent that carried it.
  | 'renewal-observed'
  // `atMs`: when the next renewal was due.
  | 'renewal-overdue'
  // The session outlived its silence, so it renews through an unwatched agent. `atMs`: when Signalbox noticed.
  | 'renewals-elsewhere'
  // A leader election at `atMs` restarted every session's clock.
  | 'timers-restarted'
  // `detail`: "2 -> 3"; `atMs`: when Signalbox saw the change.
  | 'limit-changed-while-waiting'
  // The verdict rests on more than this person may see.
  | 'evidence-withheld';

export type ConsulSummary = {
  'release-lock': { readonly key: string; readonly holder: string };
  'hand-over-lock': { readonly key: string; readonly holder: string };
  'evict-holder': { readonly prefix: string; readonly holder: string };
  'take-slot': { readonly prefix: string; readonly holder: string };
  'prune-one': { readonly prefix: string; readonly ghosts: number };
  'prune-many': { readonly semaphores: number; readonly ghosts: number };
  /** `node` is `null` where the session cannot be seen. */
  'destroy-session': { readonly name: string; readonly node: string | null };
  'delete-lock': { readonly key: string };
  'delete-semaphore': { readonly prefix: string };
};

export type ConsulCondition = {
  'index-is': { readonly index: string };
  'index-and-holder': { readonly index: string; readonly sessionId: string };
  'unchanged-since-reread': Nothing;
  'left-over-then': Nothing;
  'same-ghosts': { readonly index: string };
  'same-limit': { readonly limit: number; readonly index: string };
};

export type ConsulState = {
  'locks-keys': { readonly keys: number };
  'locks-key': { readonly key: string };
  'locked-by': { readonly sessionId: string };
  'key-deleted': { readonly key: string };
  'free-as-it-was': Nothing;
  'gone-with-all': Nothing;
};

/** The effects of an action on something else that it reaches. */
export type ConsulTouch = {
  /**
   * `first`: the first waiter to arrive; `null` without waiters. Consul grants by race. `waiters` is `null`
   * where the token may hide some, so that they cannot be counted.
   */
  'slot-to-waiters': { readonly waiters: number | null; readonly first: string | null };
  /** The record counts until a client or a person prunes it. `waiters` as above. */
  'record-stays': { readonly waiters: number | null };
  'place-in-line': Nothing;
  'behavior-not-known': Nothing;
  'refused-for': { readonly lockDelayMs: number };
  'free-at-once': Nothing;
  'locks-nothing-under': { readonly prefix: string };
};

export type ConsulWarning = {
  'not-conditional': Nothing;
  /** `null`: the session cannot be seen. */
  'lock-delay-protects': { readonly lockDelayMs: number | null };
  'no-lock-delay': { readonly because: 'semaphore' | 'hand-over' | 'session' };
  /** `null`: the session's node is a server, which says nothing about the holder. */
  'split-brain': { readonly node: string | null };
  /** The program that would end its command has likely died itself. `null`: its node is unknown. */
  'command-left': { readonly node: string | null };
  'session-lives-on': { readonly ends: 'by-ttl' | 'never-by-time' | 'unknown' };
  'may-retake': { readonly what: 'lock' | 'slot' };
  'holds-more': { readonly others: number };
  /** The possible next holder. `waiters` is `null` for locks: their waiters leave no trace. */
  'next-holder': { readonly waiters: number | null; readonly first: string | null };
  /** A slot's next holder, where the token may hide waiters: they cannot be counted. */
  'next-holder-unseen': Nothing;
  /** `waiters` is `null` where the token may hide some. */
  'waiters-fail': { readonly waiters: number | null; readonly limit: number };
  'restarts-fail': { readonly limit: number };
  'limit-forgotten': Nothing;
  'limit-one': Nothing;
  'clients-recreate': { readonly what: 'lock' | 'semaphore' };
  /** A Terraform run's lock info beside a deleted lock: `who` wrote it, `null` where it does not say. */
  'lock-info-goes': { readonly who: string | null };
  'lock-info-stays': { readonly who: string | null };
  /** Entries beside a deleted semaphore, which may be locks of their own: they stay. */
  'locks-stay': { readonly entries: number };
  /** Entries that contenders left behind, and that stay. `null`: they could not be counted. */
  'leftovers-stay': { readonly entries: number | null };
  /**
   * Recorded holders that look like ghosts, but the token hides their sessions. `ids`: all of them, one a line.
   */
  'hidden-stay': { readonly holders: number; readonly ids: string };
  'view-incomplete': Nothing;
};

export type ConsulUndo = {
  /** As `set-limit-back`, but clients that have failed by then do not return. */
  'set-limit-back-late': { readonly limit: number };
  'none-session': Nothing;
  'none-delete': Nothing;
};

export type ConsulNote = {
  'ends-session': { readonly sessionId: string };
  'ends-session-holding': { readonly sessionId: string; readonly key: string };
  'then-off-record': Nothing;
  'frees-slot': Nothing;
  'in-two-steps': Nothing;
  unlocks: { readonly key: string };
  'unlocks-by-session': { readonly key: string };
  'prunes-ghosts': { readonly key: string; readonly ghosts: string };
  'writes-limit': { readonly key: string; readonly limit: number };
  'deletes-while': { readonly key: string; readonly index: string };
  'deletes-entries': Nothing;
  /** The backend's command line has no such command. */
  'no-session-command': Nothing;
};

/** The refusals of the `can` table. */
export type ConsulRule = {
  /** The backend accepted such a key once, and now refuses every write of it. */
  'key-refused': Nothing;
  /** The key went with its session; only its name is still under the lock-delay. */
  'key-gone': Nothing;
  /** Recorded by a program with rules of its own, under a name that Consul does not know. */
  'not-a-session': { readonly name: string };
  /** Recorded by such a program, and locks no key: no entry can be compared before the slot is taken. */
  'locks-nothing-here': { readonly sessionId: string };
};

export type ConsulRefusal = {
  'no-session': { readonly sessionId: string };
  'no-entry': { readonly key: string };
  /** During a lock-delay of the coordination entry, Consul does not list which sessions have ended. */
  'entry-delayed': { readonly key: string };
  /** A holder looked like a ghost, because lists omit sessions that the token may not see. */
  'session-hidden': { readonly sessionId: string };
  'entry-locked': Nothing;
  'prefixes-not-readable': Nothing;
  'idle-not-sure': Nothing;
  'not-in-plan': { readonly name: string };
  'record-left': Nothing;
};

export type ConsulFailure = {
  /** A full agent closes new connections, and so does a broken one. */
  'connection-not-taken': Nothing;
  'rate-limited': Nothing;
  'leader-rate-limited': Nothing;
  'name-unknown': Nothing;
  /** `bytes`: the request's, values in base64; `null`: not counted. */
  'write-too-large': { readonly bytes: number | null };
  'no-leader-now': Nothing;
  'no-server-known': Nothing;
  'leader-lost': Nothing;
  /** The agent answers, but not for this other datacenter. */
  'datacenter-away': { readonly datacenter: string };
  /** The screen shows a server's own copy, read without a leader. */
  'old-copy': Nothing;
  'call-failed': { readonly call: string; readonly status: number };
  /** `max`: tokens with different rights at a time. Signalbox retries after `retryAfterMs`. */
  'too-many-rights': { readonly max: number; readonly retryAfterMs: number };
};

export type ConsulDifference = {
  'entry-came': { readonly key: string; readonly index: string };
  'index-changed': { readonly key: string; readonly before: string | null; readonly now: string };
  'session-gone': { readonly sessionId: string };
  'holdings-changed': {
    readonly sessionId: string;
    readonly before: number;
    readonly now: number;
    /** The first keys that it holds now, one a line. */
    readonly keys: string;
  };
};

export const consulOutages = [
  /** New connections are closed at once, without an answer. */
  'connections-not-taken',
  /** A client agent that knows no server. */
  'no-server',
  'leader-changing',
  /** The agent answers, but does not reach the datacenter that it is asked about. */
  'datacenter-away',
  /** There is no leader, and the screen shows one server's own copy. */
  'old-copy',
  'leader-rate-limited',
  /** The rights of this token leave no room. */
  'no-room',
] as const;
