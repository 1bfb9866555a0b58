/**
 * The plan and the result of an action. All sentences are codes with facts. Keys, values and commands are data, and stay
 * as they are.
 */

import type {
  ConsulCondition,
  ConsulNote,
  ConsulState,
  ConsulSummary,
  ConsulTouch,
  ConsulUndo,
  ConsulWarning,
} from '@/lib/domain/codes/consul';
import type { Nothing } from '@/lib/domain/codes/nothing';
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
import type { Action } from './action';

/** The one sentence of a plan: verb, object, and meaning. */
export type SummaryFacts = {
  'set-limit': { readonly prefix: string; readonly before: number; readonly limit: number };
} & ConsulSummary &
  RedisSummary &
  StandInSummary &
  ZooKeeperSummary;

/** The condition under which the backend does a write. */
export type ConditionFacts = ConsulCondition & RedisCondition & StandInCondition & ZooKeeperCondition;

/** The state of a key or session before or after the write. `stored` is the value itself. */
export type StateFacts = {
  stored: { readonly text: string };
  'held-by': { readonly sessionId: string };
  'holds-slot': { readonly prefix: string };
  'key-free': { readonly key: string };
  gone: Nothing;
} & ConsulState;

export interface PlannedWrite {
  readonly operation: 'update' | 'delete' | 'unlock' | 'destroy-session';
  /** The key, or the session's id. */
  readonly target: string;
  /** `null` where the backend offers no condition. */
  readonly condition: Said<ConditionFacts> | null;
  readonly before: Said<StateFacts> | null;
  readonly after: Said<StateFacts> | null;
}

export type TouchFacts = ConsulTouch;

/** A further subject that the action reaches. */
export interface Touch {
  readonly subject: Subject;
  /** The subject is freed, or removed with its session, or its client fails, or its slot is lost. */
  readonly effect: 'released' | 'deleted' | 'fails' | 'loses-slot';
  /** A session's label and node; `null` for keys, and where the session cannot be seen. */
  readonly who: { readonly label: string; readonly node: string | null } | null;
  readonly detail: Said<TouchFacts> | null;
}

/** A warning states an effect of the action on the backend or on a client. */
export type WarningFacts = {
  /**
   * The client of this layout learns that it lost, sooner or later or never. `heirs`: the number of clients in view that
   * could take over; `null` where that is unknown or does not matter.
   */
  'holder-notices': { readonly layout: Layout; readonly heirs: number | null };
  'limit-live': Nothing;
  'over-limit': { readonly holders: number; readonly limit: number };
  'layout-caution': { readonly layout: Layout };
  /** The batch leaves out `prefixes` semaphores without ghosts. `names`: the first of them, one a line. */
  'left-out': { readonly prefixes: number; readonly names: string };
  'answer-lost': Nothing;
  'not-read-back': Nothing;
} & ConsulWarning &
  RedisWarning &
  StandInWarning &
  ZooKeeperWarning;

export type WarningCode = keyof WarningFacts;
export type Warning = Said<WarningFacts>;

/** The way back, which the dialog shows before and after the action. */
export type UndoFacts = {
  /** The undo is another action, planned like any other. */
  'set-limit-back': { readonly limit: number };
  'not-needed': Nothing;
  'none-slot': Nothing;
  'none-hand-over': Nothing;
} & ConsulUndo &
  RedisUndo;

export type Undo = Said<UndoFacts> & { readonly action: Action | null };

export type NoteFacts = ConsulNote & RedisNote & ZooKeeperNote;

export interface ManualStep {
  readonly tool: 'curl' | 'consul' | 'redis-cli' | 'zkCli.sh';
  readonly note: Said<NoteFacts>;
  /** A shell command, with exact flags and without a token. `null`: there is none, as the note says. */
  readonly command: string | null;
}

export interface Plan {
  readonly summary: Said<SummaryFacts>;
  readonly writes: readonly PlannedWrite[];
  readonly touches: readonly Touch[];
  readonly warnings: readonly Warning[];
  readonly undo: Undo;
  readonly manual: readonly ManualStep[];
  /** The effort that the dialog asks for. With `type-name`, the operator types `confirmName`. */
  readonly friction: 'click' | 'reason' | 'type-name';
  readonly confirmName: string | null;
}

export type PartFacts = {
  /** `named`: names, shortened for people and separated by commas. */
  pruned: { readonly ghosts: number; readonly named: string };
  'had-no-ghost': Nothing;
};

/** The result of one part of a batch: done, or refused with a problem. */
export interface OutcomePart {
  readonly subject: Subject;
  readonly done: boolean;
  readonly problem: Problem | null;
  /** `null` where `problem` says enough, or where the answer was lost and no number was seen. */
  readonly detail: Said<PartFacts> | null;
}

/**
 * The result of an action, as Signalbox read it back. In a batch, `done` is false when a part was refused, and the part
 * has the `problem`.
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
