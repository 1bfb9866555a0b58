'use client';
/** Reads the figures of a prefix in a range, again each minute while the range touches the present. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '@/lib/client/call';
import { paths } from '@/lib/client/paths';
import { useAnswers } from '@/lib/client/rights';
import type { HistoryFigures } from '@/lib/domain/history/figures';
import type { SourceId } from '@/lib/domain/source';
import type { ShownRange } from './use-history';

/** Figures count all rows of the range, which costs the server more than a list does. */
const freshMs = 60_000;

export function useFigures(prefix: string, source: SourceId | null, { fromMs, toMs, live }: ShownRange) {
  const lengthS = Math.max(1, Math.round((toMs - fromMs) / 1_000));
  const times: Readonly<Record<string, string>> = live
    ? { from: `-${lengthS}s` }
    : { from: String(Math.round(fromMs)), to: String(Math.round(toMs)) };
  const query = {
    queryKey: ['figures', prefix, source, times],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const query = {
        ...(prefix === '' ? {} : { prefix }),
        order: 'lost',
        ...(source === null ? {} : { source }),
        ...times,
      };
      const { response, answer } = await call(paths.api.figures(query), { method: 'GET', signal });
      if (!response.ok) throw new Error(`figures answered ${response.status}`);
      return answer as HistoryFigures;
    },
    refetchInterval: live ? freshMs : false,
    placeholderData: keepPreviousData,
    retry: false,
  } as const;
  return useQuery(query, useAnswers());
}
