/**
 * Findings: the states that need attention. A finding is a code with the facts for its sentence, its subject, its
 * grounds, and the action that mends it. `rules/table.ts` has the rules.
 *
 * Red means that a person is needed now. A dead holder with waiters is urgent. A wait, or a full semaphore, is not.
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

/** The means by which the holders hold: a session, a lease or an entry of their own. */
type Holds = Capabilities['holds'];

/**
 * The facts of each code. Counts are complete, also where the grounds list fewer. A `null` count: none is in view, but
 * some may be hidden from this reader.
 */
export type FindingFacts = {
  /** Recorded holders lock nothing there, so their slots leak. */
  'ghost-slots': { ghosts: number; recorded: number; waiting: number | null; holds: Holds };
  /** More holders than the limit are really there. Clients of some layouts then admit without bound. */
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
  /** The holder's node or a check is critical. `endless`: 1 when only a person can end its session, else 0. */
  'suspect-holder': {
    holders: number;
    label: string;
    waiting: number | null;
    full: 0 | 1;
    endless: 0 | 1;
    holds: Holds;
  };
  /**
   * `holders` holders are immortal or node-bound. The other facts are about the first of them. `node`: its session's
   * node; `null` for a session on a server, which is not the holder's machine (`onServer` 1), and where the reader may not
   * see it.
   */
  'endless-holder': {
    holders: number;
    verdict: EndlessVerdict;
    label: string;
    node: string | null;
    onServer: 0 | 1;
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
   * The entry says `limit`, and `clients` contenders ask for another one, of which `waiting` wait. The first of them asks
   * for `asked`; `null`: the limit has changed since it came, and no more is known.
   */
  'limit-disagreement': { limit: number; asked: number | null; clients: number; waiting: number };
  /** Every change wakes `crowd` waiters. `waiting` also counts the waiters of clients that queue. */
  herd: { crowd: number; waiting: number; limit: number | null };
  /** Holders changed `changes` times within `windowMs`, and kept a slot for `holdMs` on average. */
  flapping: { changes: number; windowMs: number; holdMs: number };
  /**
   * `clients` clients wait for one another, and none can proceed. `behind` more wait for them. `owners`: the
   * number of clients with several sessions, joined by the owner that their entries name.
   */
  deadlock: { clients: number; first: string; second: string; behind: number; owners: number };
  /**
   * The first of a queue shows no sign of life where a living client would, so none of the `behind` waiters gets in.
   * `free`: 1 while the lock or a slot is free, else 0.
   */
  'dead-queue-head': { label: string; behind: number; free: 0 | 1 };
  /** `waiting` clients sleep beside a free lock, because the message that would wake them was never sent. */
  'sleeping-waiters': { waiting: number };
  /** `waiting` clients waited for a writer that reads on without a message. Readers among them sleep, but could read. */
  'sleeping-readers': { waiting: number };
  /**
   * The holder's thread held another lock, too, which Signalbox has removed. The unlock of a MultiLock fails there, and
   * leaves this lock.
   */
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
  /** The subjects that the party waits for, where the finding is about its wait. */
  readonly wants: readonly Subject[];
  /** The action for this party alone; `null` when that mends nothing. */
  readonly mend: Action | null;
}

/**
 * The state is milder than the shown severity. The severity falls to `to` at `atMs`, if the state stays so
 * (`rules/easing.ts`).
 */
export interface Easing {
  readonly to: Severity;
  readonly atMs: number;
}

/** More grounds than a person reads. The facts have the whole count. */
export const groundsMax = 8;

export type Finding = Said<FindingFacts> & {
  /** Stable while the finding lasts: code and subject. */
  readonly id: string;
  readonly severity: Severity;
  /** `null`: the shown severity is the present one. */
  readonly easing: Easing | null;
  readonly subject: Subject;
  /** A deadlock concerns every semaphore in it. */
  readonly also: readonly Subject[];
  /** At most `groundsMax`. */
  readonly grounds: readonly Ground[];
  /** `null` where none of our actions mends the finding. Its words then name the owner to ask. */
  readonly mend: Action | null;
};

/** All subjects that a finding concerns, its own first. */
export function concernedBy({ subject, also }: Pick<Finding, 'subject' | 'also'>): readonly Subject[] {
  return also.length === 0 ? [subject] : [subject, ...also];
}

export function concerns(finding: Pick<Finding, 'subject' | 'also'>, subject: Subject): boolean {
  const id = subjectId(subject);
  return concernedBy(finding).some((one) => subjectId(one) === id);
}
