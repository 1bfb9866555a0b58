/** The action that the findings about one lock or semaphore recommend for it. */
import { type Action, descriptorOf, subjectsOf } from '@/lib/domain/actions/action';
import { type Finding, severities } from '@/lib/domain/findings/finding';
import { needsHuman } from '@/lib/domain/findings/need';
import { doubts } from '@/lib/domain/holders';
import { type Lock, type Semaphore, subjectId } from '@/lib/domain/model';
import { subjectOf } from '@/lib/domain/subject';

/**
 * True when an action frees something of this subject. The end of a session that only waits here frees nothing of it.
 */
function frees(action: Action, of: Lock | Semaphore): boolean {
  const own = subjectId(subjectOf(of));
  if (!subjectsOf(action).some((subject) => subjectId(subject) === own)) return false;
  if (of.kind === 'lock' || !('sessionId' in action) || descriptorOf(action).hits === 'waiter') return true;
  return of.holders.some(({ sessionId }) => sessionId === action.sessionId);
}

/** A deadlock ends with any of its clients, so the one that holds something here will do. */
const waysOut = ({ code, mend, grounds }: Finding): readonly (Action | null)[] =>
  code === 'deadlock' ? [mend, ...grounds.map((ground) => ground.mend)] : [mend];

/** The remedy of the most urgent finding that has one; `null` where none of our actions mends a finding. */
export function remedyOf(of: Lock | Semaphore, findings: readonly Finding[]): Action | null {
  for (const severity of severities)
    for (const finding of findings)
      if (finding.severity === severity)
        for (const action of waysOut(finding)) if (action !== null && frees(action, of)) return action;
  return null;
}

/**
 * The action against the holder in the deepest doubt, where a person has to judge before any recommendation; `null`
 * without one.
 */
export function choiceOf(of: Lock | Semaphore, findings: readonly Finding[]): Action | null {
  const grounds = findings.filter(needsHuman).flatMap((finding) => finding.grounds);
  for (const doubt of doubts)
    for (const { verdict, mend } of grounds)
      if (verdict === doubt && mend !== null && frees(mend, of)) return mend;
  return null;
}
