'use client';
/** One line below the subject as it was shown: that it is so no more, and when that was seen. Empty while it is. */
import { useState } from 'react';
import { useMessages } from '@/components/dom/locale';
import { Time } from '@/components/live/clock';
import { useSnapshot } from '@/lib/client/shown';
import { same } from '@/lib/domain/world/change';
import { wasRead } from '@/lib/domain/world/snapshot';
import type { Request } from '@/lib/view/actions/request';
import { type Change, changeSince, changeText } from '@/lib/view/actions/subject-drift';

interface Seen {
  readonly change: Change;
  readonly atMs: number;
}

/**
 * What changed since the request was made, with the time of the world that first showed it. `watch: false`: what comes now is the
 * doing of this dialog, and is told by what follows it.
 */
function useSeen(request: Request, watch: boolean): Seen | null {
  const snapshot = useSnapshot();
  const [seen, setSeen] = useState<Seen | null>(null);
  // A server that has read nothing yet knows of nothing that went.
  const change = wasRead(snapshot.source) ? changeSince(request, snapshot) : null;
  if (watch && !same(change, seen?.change ?? null))
    setSeen(change === null ? null : { change, atMs: snapshot.asOfMs });
  return seen;
}

interface SinceLineProps {
  readonly request: Request;
  readonly watch: boolean;
  /** Makes the plan anew of what is shown now; `null` where the dialog offers that elsewhere or not now. */
  readonly onPlanAgain: (() => void) | null;
}

/** Its place is kept while it is empty, for nothing below it may move under a pointer. */
export function SinceLine({ request, watch, onPlanAgain }: SinceLineProps) {
  const m = useMessages();
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
