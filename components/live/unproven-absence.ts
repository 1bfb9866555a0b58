'use client';
/**
 * The absences that prove nothing. With access control, a kind without rows may still exist. Only a key locked by an
 * invisible session proves something: the token may not read that session.
 */
import { useCallback } from 'react';
import { useAhead } from '@/components/live/first-part';
import { useSessionState } from '@/components/live/session-root';
import { useSnapshotPart } from '@/lib/client/page-data';
import type { Holder } from '@/lib/domain/model';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';

/**
 * `nothing`: neither locks nor sessions are in view. `no-key`: sessions, but no lock and no semaphore. `no-session`:
 * the reverse; `hidden-sessions`: the same, and some hold rows in view. `null`: each kind has rows, cannot exist, or
 * may not have been read.
 */
export type UnprovenAbsence = 'nothing' | 'no-key' | 'no-session' | 'hidden-sessions' | null;

const isHidden = ({ session, evidence }: Holder) =>
  session === null &&
  evidence.some(({ code }) => code === 'session-not-visible' || code === 'evidence-withheld');

export function sightOf({ locks, semaphores, sessions, source }: Snapshot): UnprovenAbsence {
  // The banner covers an unread world and a view that is given up.
  if (!wasRead(source)) return null;
  const keys = locks.length + semaphores.length > 0;
  if (sessions.length > 0) return keys ? null : 'no-key';
  if (!keys) return 'nothing';
  const hidden =
    locks.some(({ holder }) => holder !== null && isHidden(holder)) ||
    semaphores.some(({ holders }) => holders.some(isHidden));
  return hidden ? 'hidden-sessions' : 'no-session';
}

/** The same for the page's view and person; `null` without access control. */
export function useSight(): UnprovenAbsence {
  const state = useSessionState();
  // An unknown access control may still hide rows.
  const guarded = state.at === 'in' && state.session.accessControl !== 'off';
  // The first document has only a part of a large world.
  const whole = useAhead() === null;
  const on = guarded && whole;
  return useSnapshotPart(useCallback((snapshot: Snapshot) => (on ? sightOf(snapshot) : null), [on]));
}
