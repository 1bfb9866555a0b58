/** Actions of Signalbox beside what was seen to happen: which of them ended a hold or cleared a finding. */

import { type Action, type ActionType, actions } from '@/lib/domain/actions/action';
import type { ActionDescriptor } from '@/lib/domain/actions/descriptor';
import { type Subject, subjectId } from '@/lib/domain/model';
import { sessionSubject } from '@/lib/domain/subject';
import type { DeedMark } from './episode';

export interface Deed extends DeedMark {
  /** When it was put on record, before anything was written to the backend. */
  readonly beganMs: number;
  /** `subjectId`s. */
  readonly subjects: readonly string[];
  /** Holders or waiters that it was about; none for a limit. */
  readonly sessions: readonly string[];
}

/** An action's effect shows, or its row in the audit comes, at most so much later than the other. */
export const deedMs = 10_000;

/** Clocks of replicas differ by less. */
const clocksMs = 100;

/** What was over before it was ordered is not its effect. */
const isNear = ({ beganMs, atMs }: Deed, thenMs: number) =>
  thenMs >= beganMs - clocksMs && thenMs <= atMs + deedMs;

/** `null`: an action that this version does not know. */
const descriptorOf = ({ type }: Pick<DeedMark, 'type'>): ActionDescriptor<Action> | null =>
  Object.hasOwn(actions, type) ? (actions[type as ActionType] as ActionDescriptor<Action>) : null;

/** It was about this subject, at about that time. */
export const touched = (deed: Deed, subject: Subject, atMs: number): boolean =>
  isNear(deed, atMs) && deed.subjects.includes(subjectId(subject));

/** It was about this holder or waiter: at this subject, or by the end of its whole session. */
export function hit(deed: Deed, subject: Subject, session: string, atMs: number): boolean {
  if (!isNear(deed, atMs) || !deed.sessions.includes(session)) return false;
  const all = sessionSubject({ source: subject.source, id: session });
  return [subject, all].some((one) => deed.subjects.includes(subjectId(one)));
}

/** It sets a limit: any other action beside a changed limit has not changed it. */
export const setsLimit = (deed: Deed): boolean => descriptorOf(deed)?.follows === 'queue';

/** It takes dead holders off a record. */
export const prunes = (deed: DeedMark): boolean => descriptorOf(deed)?.hits === 'ghosts';

/** It asks, and removes nobody. */
export const onlyAsks = (deed: DeedMark): boolean => descriptorOf(deed)?.invites === true;

export const markOf = ({ seq, by, type, reason, atMs }: Deed): DeedMark => ({ seq, by, type, reason, atMs });
