/** The rows of the past board: first those that needed attention, then those with waiters, then the longest held. */
import { type Severity, severities } from '@/lib/domain/findings/finding';
import type { PastFinding, PastLock, PastSemaphore, PastWorld } from '@/lib/domain/history/past';
import { subjectId } from '@/lib/domain/model';
import { lockSubject, semaphoreSubject } from '@/lib/domain/subject';

export interface PastRow {
  readonly id: string;
  readonly name: string;
  readonly of: PastLock | PastSemaphore;
  readonly subject: ReturnType<typeof lockSubject> | ReturnType<typeof semaphoreSubject>;
  readonly findings: readonly PastFinding[];
  /** The worst severity of its findings; `null`: no findings. */
  readonly severity: Severity | null;
}

const rank = ({ severity, of }: PastRow): number =>
  severity === 'urgent' ? 0 : severity === 'warning' ? 1 : (of.waiters?.length ?? 0) > 0 ? 2 : 3;

const begunMs = ({ of }: PastRow): number =>
  Math.min(...[...of.holders, ...(of.waiters ?? [])].map(({ since }) => since.atMs));

const holds = (text: string, { name, of }: PastRow): boolean =>
  [
    name,
    ...[...of.holders, ...(of.waiters ?? [])].flatMap(({ label, sessionId }) => [label, sessionId]),
  ].some((one) => one.toLowerCase().includes(text));

/** `q`: each word must be in the name, or in the label or id of a holder or waiter. */
export function pastRowsOf({ locks, semaphores, findings }: PastWorld, q = ''): readonly PastRow[] {
  const bySubject = new Map<string, PastFinding[]>();
  for (const one of findings) {
    const id = subjectId(one.subject);
    bySubject.set(id, [...(bySubject.get(id) ?? []), one]);
  }
  const rowOf = (of: PastLock | PastSemaphore): PastRow => {
    const subject = of.kind === 'lock' ? lockSubject(of) : semaphoreSubject(of);
    const id = subjectId(subject);
    const ownFindings = bySubject.get(id) ?? [];
    const severity =
      severities.find((one) => ownFindings.some((finding) => finding.severity === one)) ?? null;
    return {
      id,
      name: of.kind === 'lock' ? of.key : of.prefix,
      of,
      subject,
      findings: ownFindings,
      severity,
    };
  };
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return [...locks, ...semaphores]
    .map(rowOf)
    .filter((row) => words.every((word) => holds(word, row)))
    .sort((a, b) => rank(a) - rank(b) || begunMs(a) - begunMs(b));
}
