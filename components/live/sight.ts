'use client';
/**
 * What cannot be concluded from what is not in view. Consul leaves out of its lists what a token may not read, and does not
 * always say so: where it has access control, a kind of which nothing is in view may be there all the same. Only that a key
 * is locked by a session that is not in view proves something: the session exists, and the token may not read it.
 */
import { useCallback } from 'react';
import { useAhead } from '@/components/live/ahead';
import { useSessionState } from '@/components/live/session-root';
import { useSnapshotPart } from '@/lib/client/shown';
import type { Holder } from '@/lib/domain/model';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';

/**
 * `nothing`: neither locks nor sessions are in view. `no-key`: sessions, but no lock and no semaphore. `no-session`: the other
 * way round; `hidden-sessions`: the same, and some of them hold what is in view. `null`: nothing of a kind is missing, or it
 * is not there, or not known to have been read.
 */
export type Sight = 'nothing' | 'no-key' | 'no-session' | 'hidden-sessions' | null;

const isHidden = ({ session, evidence }: Holder) =>
  session === null &&
  evidence.some(({ code }) => code === 'session-not-visible' || code === 'evidence-withheld');

/** What is missing where access control is on. */
export function sightOf({ locks, semaphores, sessions, source }: Snapshot): Sight {
  // Before anything was read, and of a view that is given up, the banner tells.
  if (!wasRead(source)) return null;
  const keys = locks.length + semaphores.length > 0;
  if (sessions.length > 0) return keys ? null : 'no-key';
  if (!keys) return 'nothing';
  const hidden =
    locks.some(({ holder }) => holder !== null && isHidden(holder)) ||
    semaphores.some(({ holders }) => holders.some(isHidden));
  return hidden ? 'hidden-sessions' : 'no-session';
}

/** The same of what is shown, for who looks at it; `null` where Consul asks nobody for a token. */
export function useSight(): Sight {
  const state = useSessionState();
  // That it could not be asked so far does not mean that it lets everybody read everything.
  const guarded = state.at === 'in' && state.session.accessControl !== 'off';
  // Of a large world only the first part is here at first.
  const whole = useAhead() === null;
  const on = guarded && whole;
  return useSnapshotPart(useCallback((snapshot: Snapshot) => (on ? sightOf(snapshot) : null), [on]));
}
