'use client';
/** Reads the history of a subject in a range, again now and then while the range touches the present. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call } from '@/lib/client/call';
import { paths } from '@/lib/client/paths';
import { useAnswers } from '@/lib/client/rights';
import { receivedHistory, type SentHistory } from '@/lib/domain/history/answer';
import type { HeldSubject } from '@/lib/domain/history/episode';
import { subjectName } from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';
import type { TimeRange } from '@/lib/view/history/timeline';

/** A gesture passes many ranges; only where it rests is read. */
const restMs = 200;

/** The present edge is as old as that at most. */
const freshMs = 5_000;

export interface ShownRange extends TimeRange {
  /** The range ends now, and moves. */
  readonly live: boolean;
}

export interface HistorySubject {
  /** The subject as in the API: `lock:KEY`, `semaphore:PREFIX`, `prefix:TEXT`. */
  readonly subject: string;
  /** `null`: every source, of a prefix. */
  readonly source: SourceId | null;
  /** `lost`: only holds and waits that ended in the range otherwise than by a release or by getting in. */
  readonly ends?: 'lost';
}

export const askedOf = (of: HeldSubject): HistorySubject => ({
  subject: `${of.kind}:${subjectName(of)}`,
  source: of.source,
});

async function read(
  { subject, source, ends }: HistorySubject,
  { fromMs, toMs, live }: ShownRange,
  signal: AbortSignal,
) {
  const query = {
    subject,
    ...(source === null ? {} : { source }),
    ...(ends === undefined ? {} : { ends }),
    from: live ? `-${Math.max(1, Math.round((toMs - fromMs) / 1_000))}s` : String(Math.round(fromMs)),
    ...(live ? {} : { to: String(Math.round(toMs)) }),
  };
  const { response, answer } = await call(paths.api.history(query), { method: 'GET', signal });
  if (!response.ok) throw new Error(`history answered ${response.status}`);
  return receivedHistory(answer as SentHistory);
}

/** The last range that stayed for `restMs`. */
function useRested(range: ShownRange): ShownRange {
  const [rested, setRested] = useState(range);
  const key = keyOf(range);
  const moved = key !== keyOf(rested);
  const latest = useRef(range);
  useEffect(() => {
    latest.current = range;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each other range waits again.
  useEffect(() => {
    if (!moved) return;
    const timer = setTimeout(() => setRested(latest.current), restMs);
    return () => clearTimeout(timer);
  }, [moved, key]);
  return rested;
}

/** The key of a range. A live range moves and keeps its key. */
const keyOf = ({ fromMs, toMs, live }: ShownRange) =>
  live ? `${Math.round((toMs - fromMs) / 1_000)} s` : `${fromMs} ${toMs}`;

export function useHistory(
  of: HistorySubject,
  shown: ShownRange,
  { enabled = true }: { enabled?: boolean } = {},
) {
  const range = useRested(shown);
  const cache = useAnswers();
  const query = {
    enabled,
    queryKey: ['history', of, keyOf(range)],
    queryFn: ({ signal }: { signal: AbortSignal }) => read(of, range, signal),
    refetchInterval: range.live ? freshMs : false,
    placeholderData: keepPreviousData,
    retry: false,
  } as const;
  return useQuery(query, cache);
}
