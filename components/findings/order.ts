/** Filters findings, and sorts them by severity, then by code, then by subject. */

import {
  concernedBy,
  type Finding,
  type FindingCode,
  type Severity,
  severities,
} from '@/lib/domain/findings/finding';
import { subjectName } from '@/lib/domain/model';

export interface FindingQuery {
  readonly severity: Severity | null;
  readonly code: FindingCode | null;
  /** The id of a source; `null`: all of them. */
  readonly source: string | null;
  /** Part of a key, prefix or session id, in any letter case. */
  readonly q: string;
}

const rank = (severity: Severity) => severities.indexOf(severity);

/** A sorted copy: the most urgent first, and findings of one code together. */
export function inOrder(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(
    (a, b) =>
      rank(a.severity) - rank(b.severity) ||
      (a.code < b.code ? -1 : a.code > b.code ? 1 : 0) ||
      (a.id < b.id ? -1 : a.id > b.id ? 1 : 0),
  );
}

export function matches(finding: Finding, { severity, code, source, q }: FindingQuery): boolean {
  if (severity !== null && finding.severity !== severity) return false;
  if (code !== null && finding.code !== code) return false;
  if (source !== null && finding.subject.source !== source) return false;
  const text = q.trim().toLowerCase();
  if (text === '') return true;
  return [...concernedBy(finding), ...finding.grounds.map((ground) => ground.subject)].some((subject) =>
    subjectName(subject).toLowerCase().includes(text),
  );
}

export function countBySeverity(findings: readonly Finding[]): Record<Severity, number> {
  const counts: Record<Severity, number> = { urgent: 0, warning: 0, notice: 0 };
  for (const finding of findings) counts[finding.severity] += 1;
  return counts;
}
