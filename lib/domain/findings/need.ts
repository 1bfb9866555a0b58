/**
 * The number of locks and semaphores that need attention. Header, tab title, board, findings and screen readers all use
 * it, so that they agree.
 */

import { subjectId } from '@/lib/domain/model';
import { concernedBy, type Finding } from './finding';

/** A notice only informs. */
export function needsHuman({ severity }: Pick<Finding, 'severity'>): boolean {
  return severity !== 'notice';
}

export interface Need {
  readonly all: number;
  /** Those that are urgent. */
  readonly now: number;
}

/** Subjects, not findings: one semaphore with two findings needs one person. Sessions are not on the board. */
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
