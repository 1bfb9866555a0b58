/** `GET /api/v1/history/at`: the recorded world at one instant. */
import { type PastAnswer, type PastChange, pastOf } from '@/lib/domain/history/past';
import { ProblemError } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/seam/provider';
import { partsOf } from '@/lib/domain/source-state';
import { requireSource } from '@/lib/server/http/known-source';
import { rightsTo } from '@/lib/server/identity/subject-rights';
import { within } from '@/lib/server/process/deadline';
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
import type { ChangesAsked } from './change-query';
import type { HistoryBook } from './history';
import type { PastRead } from './past-query';

/** The answer for an instant without a record. */
const nothing: PastRead = {
  episodes: [],
  waits: [],
  findings: [],
  limits: [],
  limitChanges: [],
  gaps: [],
  hours: [],
  more: false,
  moreHolds: false,
  writtenUntilMs: 0,
  known: new Set(),
  unbroken: new Map(),
};

/** Longest time that the board waits for the nearest changes. With narrow rights, the provider answers once a page. */
const changesMs = 3_000;
/** True when the backend did not answer a question about rights, or not in time. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof ProblemError || (error instanceof DOMException && error.name === 'TimeoutError');

const notFound: PastChange = { atMs: null, complete: false };

export interface PastRuntime {
  readonly history: HistoryRuntime['history'] & Pick<HistoryBook, 'changes' | 'writtenUntil'>;
  readonly now: () => number;
}

/** `null`: all subjects. */
const readableBy = (
  { accessControl, viewpoint: { provider } }: HistoryCaller,
  now: () => number,
  signal: AbortSignal,
): ChangesAsked['readable'] =>
  accessControl === 'off' || provider.readable === undefined
    ? null
    : async (subjects) => {
        // A provider with this method is complete.
        const right = await rightsTo([...new Set(subjects)], provider as Provider, now, signal);
        signal.throwIfAborted();
        return (subject) => right(subject) === 'yes';
      };

export async function answerPast(
  request: Request,
  caller: HistoryCaller,
  { history, now }: PastRuntime,
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
  const writtenMs = keptSinceMs === null ? 0 : await history.writtenUntil().catch(notRead);
  const own = sources.filter((id) => recorded.has(id));
  const changes = await history
    .changes(isUnknown ? unknown : of, {
      atMs,
      sources: own,
      // Without a record, nothing is looked up.
      keptSinceMs: keptSinceMs ?? Number.MAX_SAFE_INTEGER,
      writtenUntilMs: writtenMs,
      readable: readableBy(caller, now, within(changesMs, signal)),
    })
    .catch((error: unknown) => {
      signal.throwIfAborted();
      // The board does not need the changes, but a store that fails is an error.
      if (isUnanswered(error)) return { previous: notFound, next: notFound };
      return notRead(error);
    });
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
    ...(own.length === sources.length
      ? changes
      : {
          previous: { ...changes.previous, complete: false },
          next: { ...changes.next, complete: false },
        }),
  };
  return Response.json(answer, { headers: noStore });
}
