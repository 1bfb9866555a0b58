/**
 * An action's plan and result. All sentences are codes with facts; keys, values and commands are data and stay
 * as they are.
 */

import type {
  RedisCondition,
  RedisNote,
  RedisSummary,
  RedisUndo,
  RedisWarning,
} from '@/lib/domain/codes/redis';
import type { StandInCondition, StandInSummary, StandInWarning } from '@/lib/domain/codes/stand-in';
import type {
  ZooKeeperCondition,
  ZooKeeperNote,
  ZooKeeperSummary,
  ZooKeeperWarning,
} from '@/lib/domain/codes/zookeeper';
import type { Layout } from '@/lib/domain/layout';
import type { Said } from '@/lib/domain/message';
import type { Lock, Semaphore, Subject } from '@/lib/domain/model';
import type { Problem } from '@/lib/domain/problem';
import type { Nothing } from '@/lib/domain/refusal';
import type { Action } from './action';

/** One sentence: verb, object, and meaning. */
export type SummaryFacts = {
  'release-lock': { readonly key: string; readonly holder: string };
  'hand-over-lock': { readonly key: string; readonly holder: string };
  'evict-holder': { readonly prefix: string; readonly holder: string };
  'take-slot': { readonly prefix: string; readonly holder: string };
  'prune-one': { readonly prefix: string; readonly ghosts: number };
  'prune-many': { readonly semaphores: number; readonly ghosts: number };
  'set-limit': { readonly prefix: string; readonly before: number; readonly limit: number };
  /** `node` is `null` where the session cannot be seen. */
  'destroy-session': { readonly name: string; readonly node: string | null };
  'delete-lock': { readonly key: string };
  'delete-semaphore': { readonly prefix: string };
} & RedisSummary &
  StandInSummary &
  ZooKeeperSummary;

/** A write happens only while this holds. */
export type ConditionFacts = {
  'index-is': { readonly index: string };
  'index-and-holder': { readonly index: string; readonly sessionId: string };
  'unchanged-since-reread': Nothing;
  'left-over-then': Nothing;
  'same-ghosts': { readonly index: string };
  'same-limit': { readonly limit: number; readonly index: string };
} & RedisCondition &
  StandInCondition &
  ZooKeeperCondition;

/** Before or after the write. `stored` is the value itself. */
export type StateFacts = {
  stored: { readonly text: string };
  'locks-keys': { readonly keys: number };
  'locks-key': { readonly key: string };
  'held-by': { readonly sessionId: string };
  'locked-by': { readonly sessionId: string };
  'holds-slot': { readonly prefix: string };
  'key-free': { readonly key: string };
  'key-deleted': { readonly key: string };
  'free-as-it-was': Nothing;
  gone: Nothing;
  'gone-with-all': Nothing;
};

export interface PlannedWrite {
  readonly operation: 'update' | 'delete' | 'unlock' | 'destroy-session';
  /** The key, or the session's id. */
  readonly target: string;
  /** `null` where the backend offers no condition. */
  readonly condition: Said<ConditionFacts> | null;
  readonly before: Said<StateFacts> | null;
  readonly after: Said<StateFacts> | null;
}

export type TouchFacts = {
  /**
   * `first`: the first waiter to arrive; `null` without waiters. Consul grants by race. `waiters` is `null`
   * where the token may hide some, so that they cannot be counted.
   */
  'slot-to-waiters': { readonly waiters: number | null; readonly first: string | null };
  /** It counts until a client or a person prunes it. `waiters` as above. */
  'record-stays': { readonly waiters: number | null };
  'place-in-line': Nothing;
  'behavior-not-known': Nothing;
  'refused-for': { readonly lockDelayMs: number };
  'free-at-once': Nothing;
  'locks-nothing-under': { readonly prefix: string };
};

/** Something else that the action reaches. */
export interface Touch {
  readonly subject: Subject;
  /** Its fate: freed, removed with its session, its client fails, or its slot is lost. */
  readonly effect: 'released' | 'deleted' | 'fails' | 'loses-slot';
  /** A session's label and node; `null` for keys, and where the session cannot be seen. */
  readonly who: { readonly label: string; readonly node: string | null } | null;
  readonly detail: Said<TouchFacts> | null;
}

/** Each states what the backend or a client will do. */
export type WarningFacts = {
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
  /** How the layout's client learns that it lost, and how fast. */
  /** `heirs`: how many in view could take over; `null` where the layout does not say. */
  'holder-notices': { readonly layout: Layout; readonly heirs: number | null };
  /** The possible next holder. `waiters` is `null` for locks: their waiters leave no trace. */
  'next-holder': { readonly waiters: number | null; readonly first: string | null };
  /** A slot's next holder, where the token may hide waiters: they cannot be counted. */
  'next-holder-unseen': Nothing;
  /** `waiters` is `null` where the token may hide some. */
  'waiters-fail': { readonly waiters: number | null; readonly limit: number };
  'restarts-fail': { readonly limit: number };
  'limit-forgotten': Nothing;
  'limit-one': Nothing;
  'limit-live': Nothing;
  'over-limit': { readonly holders: number; readonly limit: number };
  'clients-recreate': { readonly what: 'lock' | 'semaphore' };
  /** A Terraform run's lock info beside a deleted lock: `who` wrote it, `null` where it does not say. */
  'lock-info-goes': { readonly who: string | null };
  'lock-info-stays': { readonly who: string | null };
  /** Entries beside a deleted semaphore, which may be locks of their own: they stay. */
  'locks-stay': { readonly entries: number };
  /** Entries that contenders left behind, and that stay. `null`: they could not be counted. */
  'leftovers-stay': { readonly entries: number | null };
  'layout-caution': { readonly layout: Layout };
  /** Semaphores of a batch without ghosts; the first of them, one a line. */
  'left-out': { readonly prefixes: number; readonly names: string };
  /**
   * Recorded holders that look like ghosts, but the token hides their sessions. `ids`: all of them, one a line.
   */
  'hidden-stay': { readonly holders: number; readonly ids: string };
  'answer-lost': Nothing;
  'view-incomplete': Nothing;
  'not-read-back': Nothing;
} & RedisWarning &
  StandInWarning &
  ZooKeeperWarning;

export type WarningCode = keyof WarningFacts;
export type Warning = Said<WarningFacts>;

/** Shown before and after. */
export type UndoFacts = {
  /** The undo is another action, planned like any other. */
  'set-limit-back': { readonly limit: number };
  /** As above, but clients that have failed by then do not return. */
  'set-limit-back-late': { readonly limit: number };
  'not-needed': Nothing;
  'none-session': Nothing;
  'none-slot': Nothing;
  'none-hand-over': Nothing;
  'none-delete': Nothing;
} & RedisUndo;

export type Undo = Said<UndoFacts> & { readonly action: Action | null };

export type NoteFacts = {
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
} & RedisNote &
  ZooKeeperNote;

export interface ManualStep {
  readonly tool: 'curl' | 'consul' | 'redis-cli' | 'zkCli.sh';
  readonly note: Said<NoteFacts>;
  /** A shell command, with exact flags. Never holds a token. `null`: there is none, as the note says. */
  readonly command: string | null;
}

export interface Plan {
  readonly summary: Said<SummaryFacts>;
  readonly writes: readonly PlannedWrite[];
  readonly touches: readonly Touch[];
  readonly warnings: readonly Warning[];
  readonly undo: Undo;
  readonly manual: readonly ManualStep[];
  /** How much ceremony the dialog asks for: `type-name` demands `confirmName`, typed. */
  readonly friction: 'click' | 'reason' | 'type-name';
  readonly confirmName: string | null;
}

export type PartFacts = {
  /** Shortened for people, separated by commas. */
  pruned: { readonly ghosts: number; readonly named: string };
  'had-no-ghost': Nothing;
};

/** The result of one part of a batch: done, or refused with a problem. */
export interface OutcomePart {
  readonly subject: Subject;
  readonly done: boolean;
  readonly problem: Problem | null;
  /** `null` where the problem says it. */
  readonly detail: Said<PartFacts> | null;
}

/**
 * The result of an action, as seen. `done: false` in a batch means that this part was refused; `problem` says
 * why.
 */
export interface Outcome {
  readonly done: boolean;
  /** Subjects that the action freed, one row each. */
  readonly freed: readonly Subject[];
  /** The subject as read back after the write; `null` when it is gone. */
  readonly after: Lock | Semaphore | null;
  readonly warnings: readonly Warning[];
  /** For a batch: one outcome for each part, in the requested order. */
  readonly parts: readonly OutcomePart[];
}
