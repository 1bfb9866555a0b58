/**
 * Findings: what needs attention. A finding is a code with the facts for its sentence, what it is about, what it rests
 * on, and the action that mends it. The rules that make them are the table in `rules/table.ts`.
 *
 * Red is for a human needed now: waiting is not urgent, and full is not urgent. A dead holder with people waiting is.
 */
import type { Action } from '@/lib/domain/actions/action';
import type { LockLayout, SemaphoreLayout } from '@/lib/domain/layout';
import {
  type Evidence,
  type SemaphoreProblemCode,
  type Subject,
  subjectId,
  type Verdict,
} from '@/lib/domain/model';
import type { Said } from '@/lib/domain/said';

/** Verdicts of holders that end neither by themselves nor by a renewal that stops. */
export type EndlessVerdict = Extract<Verdict, 'immortal' | 'node-bound'>;

/**
 * Each code with the facts of its sentence. Counts are of what is really there, never of what is listed as grounds. A count that
 * may be `null`: nobody is in view, and there may be some whom this reader may not see.
 */
export type FindingFacts = {
  /** Recorded holders lock nothing there, so their slots leak. */
  'ghost-slots': { ghosts: number; recorded: number; waiting: number | null };
  /** More holders are really there than the limit allows. `layout` tells whether clients then admit without bound. */
  'over-limit': { effective: number; limit: number; layout: SemaphoreLayout };
  /**
   * Renewals were seen and have stopped. `waiting`: `null` for a lock as well, whose waiters are not visible. `full`: 1 when every
   * slot is taken and others wait for one, else 0.
   */
  'overdue-holder': { holders: number; label: string; waiting: number | null; full: 0 | 1 };
  /** Its node or a check is critical. `waiting` and `full` as above; `endless`: 1 when nothing but a person ends it, else 0. */
  'suspect-holder': {
    holders: number;
    label: string;
    waiting: number | null;
    full: 0 | 1;
    endless: 0 | 1;
  };
  /** `holders` of the holders are immortal or node-bound; the rest is about the first of them. `waiting` as above. */
  'endless-holder': {
    holders: number;
    verdict: EndlessVerdict;
    label: string;
    node: string | null;
    waiting: number | null;
  };
  /** The coordination entry breaks its clients. `problem` with its `detail`; `named`: the holders in it, `null`: cannot be told. */
  'unreadable-entry': {
    problem: SemaphoreProblemCode;
    detail: string | null;
    contenders: number | null;
    named: number | null;
  };
  /** `flags` as found, decimal text. */
  'wrong-flags': { flags: string | null; contenders: number | null };
  /**
   * The entry says `limit`; `clients` contenders ask for another, the first of them for `asked` (`null`: it is known
   * only that the limit has changed since they came), and `waiting` of them wait.
   */
  'limit-disagreement': { limit: number; asked: number | null; clients: number; waiting: number };
  /** `crowd` waiters are all woken by every change; `waiting` counts those of clients that queue as well. */
  herd: { crowd: number; waiting: number; limit: number | null };
  /** Holders changed `changes` times within `windowMs`; each kept its slot for `holdMs` on average. */
  flapping: { changes: number; windowMs: number; holdMs: number };
  /**
   * `clients` hold what the others wait for, and none can go on. `behind` more wait for them. `owners`: of those
   * clients, how many are several sessions joined by the owner that their entries name.
   */
  deadlock: { clients: number; first: string; second: string; behind: number; owners: number };
  /** The lock-delay of the holder's session is shorter than anything can be noticed in. */
  'no-lock-delay': { label: string; delayMs: number; layout: LockLayout };
  /** `name` is '' for a session without one. */
  'session-leak': { name: string; node: string };
};

export type FindingCode = keyof FindingFacts;

/** `urgent`: someone waits for something that will not come by itself, or clients fail. `notice` only informs. */
export const severities = ['urgent', 'warning', 'notice'] as const;
export type Severity = (typeof severities)[number];

/** One of those that a finding rests on, with what is known of it. The whole row is in the snapshot. */
export interface Ground {
  readonly subject: Subject;
  /** What people call it; `null` where the subject's own name says it. */
  readonly label: string | null;
  readonly verdict: Verdict | null;
  readonly evidence: readonly Evidence[];
  /** What this one waits for, when that is why it is here. */
  readonly wants: readonly Subject[];
  /** What could be done about this one alone; `null` when that mends nothing. */
  readonly mend: Action | null;
}

/** A severity that is higher than what is there now, and falls to that at `atMs` if it stays so (`rules/easing.ts`). */
export interface Easing {
  readonly to: Severity;
  readonly atMs: number;
}

/** More than a person reads; the facts have the whole count. */
export const groundsMax = 8;

export type Finding = Said<FindingFacts> & {
  /** Stable while the finding lasts: code and subject. */
  readonly id: string;
  readonly severity: Severity;
  /** `null`: the severity is that of now. */
  readonly easing: Easing | null;
  readonly subject: Subject;
  /** What else it is about: a deadlock concerns every semaphore in it. */
  readonly also: readonly Subject[];
  /** At most `groundsMax`. */
  readonly grounds: readonly Ground[];
  /** The action that mends it; `null` where none of ours does. The language says who can. */
  readonly mend: Action | null;
};

/** Everything that a finding is about, the subject first. */
export function concernedBy({ subject, also }: Pick<Finding, 'subject' | 'also'>): readonly Subject[] {
  return also.length === 0 ? [subject] : [subject, ...also];
}

/** Whether a finding is about this subject. */
export function concerns(finding: Pick<Finding, 'subject' | 'also'>, subject: Subject): boolean {
  const id = subjectId(subject);
  return concernedBy(finding).some((one) => subjectId(one) === id);
}
