/**
 * How many locks and semaphores need attention. Everything that gives that number counts in this way, so that the header,
 * the title of the tab, the board, the findings and what is read aloud never tell different ones.
 */

import { subjectId } from '@/lib/domain/model';
import { concernedBy, type Finding } from './finding';

/** True when a finding asks for a person: a notice only informs. */
export function needsHuman({ severity }: Pick<Finding, 'severity'>): boolean {
  return severity !== 'notice';
}

export interface Need {
  /** Locks and semaphores with a finding that asks for a person. */
  readonly all: number;
  /** Those of them where it cannot wait. */
  readonly now: number;
}

/** Subjects, not findings: one semaphore with two troubles needs one human. Sessions are not on the board. */
export function needOf(findings: readonly Pick<Finding, 'severity' | 'subject' | 'also'>[]): Need {
  const all = new Set<string>();
  const now = new Set<string>();
  for (const finding of findings) {
    if (!needsHuman(finding)) continue;
    for (const subject of concernedBy(finding)) {
      if (subject.kind === 'session') continue;
      const id = subjectId(subject);
      all.add(id);
      if (finding.severity === 'urgent') now.add(id);
    }
  }
  return { all: all.size, now: now.size };
}
