'use client';
/** One line below the subject as shown: the change since, and when it was seen. Empty without one. */
import { useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { Time } from '@/components/live/clock';
import { stateOf } from '@/components/live/sources';
import { useSnapshot } from '@/lib/client/page-data';
import { same } from '@/lib/domain/world/change';
import { wasRead } from '@/lib/domain/world/snapshot';
import type { DialogRequest } from '@/lib/view/actions/request';
import { type Change, changeSince, changeText } from '@/lib/view/actions/subject-drift';

interface SubjectChange {
  readonly change: Change;
  readonly atMs: number;
}

/**
 * The change with the time of the world that first showed it. `watch: false`: later changes are this dialog's own
 * effect.
 */
function useSeen(request: DialogRequest, watch: boolean): SubjectChange | null {
  const snapshot = useSnapshot();
  const [seen, setSeen] = useState<SubjectChange | null>(null);
  // A server that has read nothing yet cannot prove a loss.
  const isRead = wasRead(stateOf(snapshot.source, request.action.source));
  const change = isRead ? changeSince(request, snapshot) : null;
  if (watch && !same(change, seen?.change ?? null))
    setSeen(change === null ? null : { change, atMs: snapshot.asOfMs });
  return seen;
}

interface SinceLineProps {
  readonly request: DialogRequest;
  readonly watch: boolean;
  /** Plans again from the present state; `null` where the dialog offers that elsewhere or not now. */
  readonly onPlanAgain: (() => void) | null;
}

/** The line keeps its place while empty, so that nothing below moves under a pointer. */
export function SinceLine({ request, watch, onPlanAgain }: SinceLineProps) {
  const m = useAllMessages();
  const seen = useSeen(request, watch);
  const [before, after] = m.sinceShown.seenAt;
  return (
    <div className="mt-0.5 min-h-10 break-words leading-5 sm:min-h-5">
      <span role="status" className="font-medium text-caution">
        {seen === null ? null : (
          <>
            {before}
            <Time atMs={seen.atMs} />
            {after}
            {changeText(seen.change, m)}
          </>
        )}
      </span>
      {seen === null || onPlanAgain === null ? null : (
        <button
          type="button"
          className="ml-3 cursor-pointer text-brass-strong underline underline-offset-3"
          onClick={onPlanAgain}
        >
          {m.action.planAgain}
        </button>
      )}
    </div>
  );
}
