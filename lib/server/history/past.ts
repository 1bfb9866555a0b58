/** `GET /api/v1/history/at`: the world as it was at one instant, as far as it is kept. */
import { type PastAnswer, pastOf } from '@/lib/domain/history/past';
import { partsOf } from '@/lib/domain/source-state';
import { requireSource } from '@/lib/server/http/known-source';
import {
  type HistoryCaller,
  type HistoryRuntime,
  mayRead,
  noStore,
  notRead,
  recordedIn,
  shownTo,
  unknown,
} from './answer';
import { ofSubject, readPastQuery } from './asked';
import type { PastRead } from './past-query';

/** Of an instant of which nothing is kept, nothing is looked up. */
const nothing: PastRead = {
  episodes: [],
  waits: [],
  findings: [],
  limits: [],
  limitChanges: [],
  gaps: [],
  hours: [],
  more: false,
  writtenUntilMs: 0,
  known: new Set(),
  unbroken: new Map(),
};

export async function answerPast(
  request: Request,
  caller: HistoryCaller,
  { history, now }: HistoryRuntime,
): Promise<Response> {
  const { signal } = request;
  const { atMs, subject, source, limit } = readPastQuery(new URL(request.url).searchParams, now());
  const sourceState = caller.viewpoint.hub.snapshot().source;
  requireSource(source, sourceState);
  const sources = source === null ? partsOf(sourceState).map(({ id }) => id) : [source];
  const of = ofSubject(subject, sources);
  const state = history.state();
  const keptSinceMs = await history.since().catch(notRead);
  const isKept = keptSinceMs !== null && atMs >= keptSinceMs;
  const isUnknown = of.by === 'subject' && !(await mayRead(of.subject, caller, now, signal));
  const { more, limitChanges, writtenUntilMs, known, unbroken, ...rows } = isKept
    ? await shownTo({ sources, limit, caller, now, signal }, (rows) =>
        history.at(isUnknown ? unknown : of, { atMs, sources, limit: rows }).catch(notRead),
      )
    : nothing;
  const recorded = recordedIn(partsOf(sourceState));
  const kept = {
    keptSinceMs,
    writtenUntilMs,
    known: new Set([...known].filter((id) => recorded.has(id))),
    unbroken,
  };
  const answer: PastAnswer = {
    at: atMs,
    keptSinceMs,
    awaySinceMs: state?.awaySinceMs ?? null,
    off: state === null,
    ...pastOf({ ...rows, limits: limitChanges }, atMs, sources, kept),
    more,
  };
  return Response.json(answer, { headers: noStore });
}
