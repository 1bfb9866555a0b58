'use client';
/** Reads the actions of Signalbox on a subject in a range, as far as this person may read the audit. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ShownRow } from '@/lib/domain/actions/deed';
import { deedMarksIn } from '@/lib/domain/history/deed-marks';
import type { DeedMark } from '@/lib/domain/history/episode';
import { type Subject, subjectId } from '@/lib/domain/model';
import { call } from './call';
import { paths } from './paths';
import { useAnswers } from './rights';
import { serverClock } from './server-clock';

const freshMs = 15_000;
/** The pause after a refusal: the audit is not for this person, or Consul is away. */
const refusedMs = 60_000;
/** An intent has its outcome within a minute. */
const outcomeMs = 60_000;

interface DeedsRange {
  readonly fromMs: number;
  readonly toMs: number;
  /** The range ends now, and moves. */
  readonly live: boolean;
}

const none: readonly DeedMark[] = [];

/** Empty until they are read, and where they cannot be. Their absence proves nothing. */
export function useDeeds(of: Subject, { fromMs, toMs, live }: DeedsRange): readonly DeedMark[] {
  const subject = subjectId(of);
  const lengthMs = toMs - fromMs;
  const query = {
    queryKey: ['deeds', subject, ...(live ? [Math.round(lengthMs / 1_000)] : [fromMs, toMs])],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const endMs = live ? serverClock.now() : toMs;
      const query = {
        subject,
        from: new Date(Math.max(0, endMs - lengthMs - outcomeMs)).toISOString(),
        to: new Date(endMs + outcomeMs).toISOString(),
        limit: '1000',
      };
      const { response, answer } = await call(paths.api.audit(query), { method: 'GET', signal });
      if (!response.ok) throw new Error(`audit answered ${response.status}`);
      return deedMarksIn((answer as { readonly rows: readonly ShownRow[] }).rows, serverClock.now());
    },
    refetchInterval: ({ state }: { state: { status: string } }) =>
      !live ? false : state.status === 'error' ? refusedMs : freshMs,
    placeholderData: keepPreviousData,
    retry: false,
  } as const;
  return useQuery(query, useAnswers()).data ?? none;
}
