'use client';
import { useEffect, useRef } from 'react';
import { planAction } from '@/lib/client/api';
import type { Action } from '@/lib/domain/actions/action';
import { limitMax } from '@/lib/domain/actions/semaphore';
import { isProblem } from '@/lib/domain/problem';
import type { DialogEvent } from '@/lib/view/actions/dialog-state';
import type { DialogRequest } from '@/lib/view/actions/request';
import { movedSince } from '@/lib/view/actions/subject-drift';

/** Outlives every refusal. */
export interface Draft {
  readonly action: Action;
  /** The number to set or to return. */
  readonly limit: string;
  readonly reason: string;
  readonly name: string;
}

export function draftOf({ action, limitTyped }: DialogRequest): Draft {
  return { action, limit: limitTyped, reason: '', name: '' };
}

/** The dialog asks for a number. */
export const asksNumber = (action: Action): boolean => 'limit' in action || 'permits' in action;

/** The action to plan: `null` while the typed number is invalid. */
export function plannable({ action, limit }: Draft, { semaphore }: DialogRequest): Action | null {
  if (!asksNumber(action)) return action;
  const typed = /^\d{1,6}$/.test(limit.trim()) ? Number(limit.trim()) : 0;
  if (typed < 1 || typed > limitMax) return null;
  if ('permits' in action) return { ...action, permits: typed };
  return 'limit' in action && typed !== semaphore?.limit ? { ...action, limit: typed } : null;
}

/** Plans at once, and again whenever the action changes. Late answers of an earlier choice are dropped. */
export function usePlanning(
  action: Action | null,
  { reason, request, round }: { reason: string; request: DialogRequest; round: number },
  dispatch: (event: DialogEvent) => void,
) {
  const latest = useRef({ reason, request });
  latest.current = { reason, request };
  const wanted = action === null ? null : JSON.stringify(action);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks for the same plan again.
  useEffect(() => {
    if (wanted === null) {
      dispatch({ type: 'choose' });
      return;
    }
    dispatch({ type: 'plan' });
    const abort = new AbortController();
    planAction(JSON.parse(wanted) as Action, latest.current.reason, abort.signal).then(
      (answer) => {
        const problem = isProblem(answer) ? answer : movedSince(latest.current.request, answer);
        if (problem !== null) dispatch({ type: 'refused', problem });
        else if (!isProblem(answer)) dispatch({ type: 'planned', planned: answer });
      },
      // Only an abort rejects, after another choice.
      () => {},
    );
    return () => abort.abort();
  }, [wanted, round, dispatch]);
}
