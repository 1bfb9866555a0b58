/**
 * Findings: what needs a human. Each rule is a row of `rules`: it looks at one world and names what it found,
 * with the evidence and the action that mends it. A newcomer adds a rule by adding a row and a fixture.
 */
import type { Action } from './action';
import type { Subject, World } from './model';

export type FindingCode =
  | 'ghost-slots'
  | 'over-limit'
  | 'full-with-doubtful-holder'
  | 'doubtful-holder-while-others-wait'
  | 'unreadable-entry'
  | 'wrong-flags'
  | 'no-lock-delay'
  | 'session-leak';

export interface Finding {
  /** Stable while the finding lasts: code and subject. */
  readonly id: string;
  readonly code: FindingCode;
  /** `urgent`: someone waits for something that will not come by itself, or clients fail. */
  readonly severity: 'urgent' | 'warning' | 'notice';
  readonly subject: Subject;
  /** Values for the sentence, in the order that the interface's text of this code names them. */
  readonly facts: Readonly<Record<string, string | number>>;
  /** The action that mends it; `null` where only the owner of the clients can. */
  readonly mend: Action | null;
}

/** All findings of one world, sorted by id. */
export function findingsOf(_world: World): readonly Finding[] {
  return [];
}
