/**
 * Findings: what needs attention. A finding is a code with the facts for its sentence, its subject, its grounds, and
 * the action that mends it. `rules/table.ts` has the rules.
 *
 * Red means that a person is needed now. Waiting and full are not urgent; a dead holder with waiters is.
 */
import type { Action } from '@/lib/domain/actions/action';
import type { Capabilities } from '@/lib/domain/capabilities';
import type { LockLayout, SemaphoreLayout } from '@/lib/domain/layout';
import type { Said } from '@/lib/domain/message';
import {
  type Evidence,
  type SemaphoreProblemCode,
  type Subject,
  subjectId,
  type Verdict,
} from '@/lib/domain/model';

/** Verdicts of holders that neither time nor a missing renewal ends. */
export type EndlessVerdict = Extract<Verdict, 'immortal' | 'node-bound'>;

/** By what its holders hold: a session, a lease or an entry of their own. */
type Holds = Capabilities['holds'];

/**
 * Counts are of what is really there, not of the listed grounds. A `null` count: none is in view, but some may be
 * hidden from this reader.
 */
export type FindingFacts = {
  /** Recorded holders lock nothing there, so their slots leak. */
  'ghost-slots': { ghosts: number; recorded: number; waiting: number | null; holds: Holds };
  /** More holders than the limit are really there. `layout` decides whether clients then admit without bound. */
  'over-limit': { effective: number; limit: number; layout: SemaphoreLayout };
  /**
   * Renewals were seen and have stopped. `waiting`: also `null` for a lock, whose waiters are not visible. `full`: 1
   * when every slot is taken and others wait, else 0.
   */
  'overdue-holder': {
    holders: number;
    label: string;
    waiting: number | null;
    full: 0 | 1;
    holds: Holds;
  };
  /** Its node or a check is critical. `endless`: 1 when only a person can end it, else 0. */
  'suspect-holder': {
    holders: number;
    label: string;
    waiting: number | null;
    full: 0 | 1;
    endless: 0 | 1;
    holds: Holds;
  };
  /** `holders` of them are immortal or node-bound; the other facts are about the first. */
  'endless-holder': {
    holders: number;
    verdict: EndlessVerdict;
    label: string;
    node: string | null;
    waiting: number | null;
    holds: Holds;
  };
  /** The coordination entry breaks its clients. `named`: the holders in it, `null`: unknown. */
  'unreadable-entry': {
    problem: SemaphoreProblemCode;
    detail: string | null;
    contenders: number | null;
    named: number | null;
  };
  /** `flags` as found, decimal text. */
  'wrong-flags': { flags: string | null; contenders: number | null };
  /**
   * The entry says `limit`; `clients` contenders ask for another, the first of them for `asked` (`null`: known only to
   * have changed since they came), and `waiting` of them wait.
   */
  'limit-disagreement': { limit: number; asked: number | null; clients: number; waiting: number };
  /** Every change wakes `crowd` waiters; `waiting` also counts those of clients that queue. */
  herd: { crowd: number; waiting: number; limit: number | null };
  /** Holders changed `changes` times within `windowMs`, and kept a slot for `holdMs` on average. */
  flapping: { changes: number; windowMs: number; holdMs: number };
  /**
   * `clients` hold what the others wait for, and none can proceed. `behind` more wait for them. `owners`: clients of
   * several sessions, joined by the owner that their entries name.
   */
  deadlock: { clients: number; first: string; second: string; behind: number; owners: number };
  /**
   * The first of a queue shows no sign of life where a living client would, so that none of the `behind` gets in. `free`: 1 while nobody holds it, or a
   * slot is free.
   */
  'dead-queue-head': { label: string; behind: number; free: 0 | 1 };
  /** `waiting` clients sleep beside a lock that nobody holds: what would wake them was never sent. */
  'sleeping-waiters': { waiting: number };
  /** `waiting` clients waited for a writer that reads on without a message: readers among them sleep though they could read. */
  'sleeping-readers': { waiting: number };
  /** Its thread held another lock, too, which Signalbox has removed: the unlock of a MultiLock fails there and leaves this one. */
  'same-thread-removed': { label: string };
  /** The lock-delay of the holder's session is too short to protect. */
  'no-lock-delay': { label: string; delayMs: number; layout: LockLayout };
  /** `name` is '' for a session without one. */
  'session-leak': { name: string; node: string };
};

export type FindingCode = keyof FindingFacts;

/** `urgent`: a wait that will not end alone, or failing clients. `notice` only informs. */
export const severities = ['urgent', 'warning', 'notice'] as const;
export type Severity = (typeof severities)[number];

/** One party behind a finding. Its whole row is in the snapshot. */
export interface Ground {
  readonly subject: Subject;
  /** `null`: the subject's own name serves. */
  readonly label: string | null;
  readonly verdict: Verdict | null;
  readonly evidence: readonly Evidence[];
  /** What it waits for, when that is why it is listed. */
  readonly wants: readonly Subject[];
  /** The action for this one alone; `null` when that mends nothing. */
  readonly mend: Action | null;
}

/**
 * The shown severity is higher than the present one, and falls to that at `atMs` if it stays so (`rules/easing.ts`).
 */
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
  /** `null`: the present severity. */
  readonly easing: Easing | null;
  readonly subject: Subject;
  /** A deadlock concerns every semaphore in it. */
  readonly also: readonly Subject[];
  /** At most `groundsMax`. */
  readonly grounds: readonly Ground[];
  /** `null` where none of our actions mends it. The language says who can. */
  readonly mend: Action | null;
};

/** The subject first. */
export function concernedBy({ subject, also }: Pick<Finding, 'subject' | 'also'>): readonly Subject[] {
  return also.length === 0 ? [subject] : [subject, ...also];
}

export function concerns(finding: Pick<Finding, 'subject' | 'also'>, subject: Subject): boolean {
  const id = subjectId(subject);
  return concernedBy(finding).some((one) => subjectId(one) === id);
}
