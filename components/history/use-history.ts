'use client';
/** Reads the history of a subject in a range, again now and then while the range touches the present. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '@/lib/client/call';
import { paths } from '@/lib/client/paths';
import { useAnswers } from '@/lib/client/rights';
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import type { HeldSubject } from '@/lib/domain/history/episode';
import { subjectName } from '@/lib/domain/model';
import { firstSource } from '@/lib/domain/source';
import type { TimeRange } from '@/lib/view/history/timeline';

/** The present edge is as old as that at most. */
const freshMs = 5_000;

export interface ShownRange extends TimeRange {
  /** It ends now, and moves on. */
  readonly live: boolean;
}

async function read(of: HeldSubject, { fromMs, toMs, live }: ShownRange, signal: AbortSignal) {
  const { source } = of;
  const asked = {
    subject: `${of.kind}:${subjectName(of)}`,
    ...(source === firstSource ? {} : { source }),
    from: live ? `-${Math.max(1, Math.round((toMs - fromMs) / 1_000))}s` : String(Math.round(fromMs)),
    ...(live ? {} : { to: String(Math.round(toMs)) }),
  };
  const { response, answer } = await call(paths.api.history(asked), { method: 'GET', signal });
  if (!response.ok) throw new Error(`history answered ${response.status}`);
  return answer as HistoryAnswer;
}

export function useHistory(of: HeldSubject, range: ShownRange) {
  const cache = useAnswers();
  return useQuery(
    {
      queryKey: ['history', of, range.live ? range.toMs - range.fromMs : range],
      queryFn: ({ signal }) => read(of, range, signal),
      refetchInterval: range.live ? freshMs : false,
      placeholderData: keepPreviousData,
      retry: false,
    },
    cache,
  );
}
