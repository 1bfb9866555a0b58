/**
 * Matches actions of Signalbox with the changes that they caused: the end of a hold or a wait, a cleared finding, a new
 * limit.
 */

import { type Action, type ActionType, actions } from '@/lib/domain/actions/action';
import type { ActionDescriptor } from '@/lib/domain/actions/descriptor';
import { type Subject, subjectId } from '@/lib/domain/model';
import { sessionSubject } from '@/lib/domain/subject';
import type { DeedMark } from './episode';

export interface Deed extends DeedMark {
  /** The instant of its record in the audit, before any write to the backend. */
  readonly beganMs: number;
  /** `subjectId`s. */
  readonly subjects: readonly string[];
  /** Its holders or waiters; none for a limit. */
  readonly sessions: readonly string[];
}

/** Longest time between an action's effect and its row in the audit, in either order. */
export const deedMs = 10_000;

/** Clocks of replicas differ by less. */
const clocksMs = 100;

/** A change from before the action is not its effect. */
const isNear = ({ beganMs, atMs }: Deed, thenMs: number) =>
  thenMs >= beganMs - clocksMs && thenMs <= atMs + deedMs;

/** `null`: an action that this version does not know. */
const descriptorOf = ({ type }: Pick<DeedMark, 'type'>): ActionDescriptor<Action> | null =>
  Object.hasOwn(actions, type) ? (actions[type as ActionType] as ActionDescriptor<Action>) : null;

/** True when the action was about this subject, near that time. */
export const touched = (deed: Deed, subject: Subject, atMs: number): boolean =>
  isNear(deed, atMs) && deed.subjects.includes(subjectId(subject));

/** True when the action was about this holder or waiter, at this subject or through the end of its whole session. */
export function hit(deed: Deed, subject: Subject, session: string, atMs: number): boolean {
  if (!isNear(deed, atMs) || !deed.sessions.includes(session)) return false;
  const all = sessionSubject({ source: subject.source, id: session });
  return [subject, all].some((one) => deed.subjects.includes(subjectId(one)));
}

/** True when the action sets a limit. No other action explains a changed limit. */
export const setsLimit = (deed: Deed): boolean => descriptorOf(deed)?.follows === 'queue';

/** True when the action takes dead holders off a record. */
export const prunes = (deed: DeedMark): boolean => descriptorOf(deed)?.hits === 'ghosts';

/** True when the action only asks a holder to release. */
export const onlyAsks = (deed: DeedMark): boolean => descriptorOf(deed)?.invites === true;

export const markOf = ({ seq, by, type, reason, atMs }: Deed): DeedMark => ({ seq, by, type, reason, atMs });
