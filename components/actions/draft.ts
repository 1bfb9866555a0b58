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
  readonly limit: string;
  readonly reason: string;
  readonly name: string;
}

export function draftOf({ action, limitTyped }: DialogRequest): Draft {
  return { action, limit: limitTyped, reason: '', name: '' };
}

/** The action to plan: `null` while the typed limit is invalid. */
export function plannable(draft: Draft, { semaphore }: DialogRequest): Action | null {
  if (!('limit' in draft.action)) return draft.action;
  const limit = /^\d{1,6}$/.test(draft.limit.trim()) ? Number(draft.limit.trim()) : 0;
  if (limit < 1 || limit > limitMax || limit === semaphore?.limit) return null;
  return { ...draft.action, limit };
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
      // Only an abort rejects: another choice has replaced it.
      () => {},
    );
    return () => abort.abort();
  }, [wanted, round, dispatch]);
}
