/** `GET /api/v1/history`: the history of a lock, a semaphore, a session or a prefix. */
import { sentHistory } from '@/lib/domain/history/answer';
import {
  type DeedMark,
  type HeldSubject,
  type Hold,
  lastedMs,
  type Wait,
  type Who,
} from '@/lib/domain/history/episode';
import { type Subject, shortId, subjectId } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import type { Provider } from '@/lib/domain/seam/provider';
import type { SourceId } from '@/lib/domain/source';
import { partsOf, type SourceState } from '@/lib/domain/source-state';
import { requireSource } from '@/lib/server/http/known-source';
import type { Caller } from '@/lib/server/identity/caller';
import { rightsTo } from '@/lib/server/identity/subject-rights';
import { within } from '@/lib/server/process/deadline';
import { limitMax, ofSubject, readHistoryQuery } from './asked';
import { exported } from './export';
import type { HistoryOf } from './history-of';
import type { HistoryQuery, HistoryRead } from './history-query';
import type { Recording } from './keeper';
import type { PastQuery } from './past-query';
import type { UsualQuery } from './usual-query';

export interface HistoryRuntime {
  readonly history: Pick<HistoryQuery, 'read' | 'since'> & PastQuery & UsualQuery & Recording;
  readonly now: () => number;
}

export type HistoryCaller = Pick<Caller, 'accessControl'> & {
  readonly viewpoint: {
    readonly provider: Pick<Provider, 'id' | 'readable' | 'seesSessions'>;
    readonly hub: { snapshot(): { readonly source: SourceState } };
  };
};

export const noStore = { 'cache-control': 'no-store' };
/**
 * Sources whose history covers all that this person sees. A source with `sight: 'own'` has none, because the server's
 * own token may see less.
 */
export const recordedIn = (parts: readonly SourceState[]): ReadonlySet<SourceId> =>
  new Set(parts.filter(({ sight }) => sight !== 'own').map(({ id }) => id));

const readMs = 10_000;

export const notRead = (cause: unknown): never => {
  throw new ProblemError({ code: 'unavailable', why: { code: 'store-not-reached', facts: {} } }, { cause });
};

/** Hides the name of a session from callers who may not read sessions. The label may contain the name. */
const hidden = (who: Who): Who => ({
  id: who.id,
  label: who.name !== null && who.label.startsWith(who.name) ? shortId(who.id) : who.label,
  name: null,
  node: null,
});

/** The number in the chain would reveal how many rows of other people exist. */
const unnumbered = (deed: DeedMark | null): DeedMark | null =>
  deed === null ? null : { ...deed, seq: null };

/** The rows that this caller may read now, by the rights to their subjects. */
async function visible(
  read: HistoryRead,
  sources: readonly SourceId[],
  { accessControl, viewpoint: { provider } }: HistoryCaller,
  now: () => number,
  signal: AbortSignal,
): Promise<HistoryRead> {
  if (accessControl === 'off' || provider.readable === undefined) return read;
  const { episodes, waits, findings, limits, hours } = read;
  const subjects = [episodes, waits, limits, hours].flatMap((rows) =>
    rows.map(({ subject }) => subjectId(subject)),
  );
  const found = findings
    .filter(({ subject }) => subject.kind !== 'session')
    .map(({ subject }) => subjectId(subject));
  // A provider with this method is complete.
  const right = await rightsTo([...new Set([...subjects, ...found])], provider as Provider, now, signal);
  const seeing = new Set<SourceId>();
  await Promise.all(
    sources.map(async (source) => {
      const sees = await provider.seesSessions?.(source, within(readMs, signal)).catch(() => 'unknown');
      if (sees === 'yes') seeing.add(source);
    }),
  );
  const mayRead = ({ subject }: { readonly subject: Subject }) =>
    subject.kind === 'session' ? seeing.has(subject.source) : right(subjectId(subject)) === 'yes';
  const named = ({ who, subject }: Hold | Wait) => (seeing.has(subject.source) ? who : hidden(who));
  return {
    ...read,
    episodes: episodes
      .filter(mayRead)
      .map((row) => ({ ...row, who: named(row), deed: unnumbered(row.deed) })),
    waits: waits.filter(mayRead).map((row) => ({ ...row, who: named(row), deed: unnumbered(row.deed) })),
    findings: findings.filter(mayRead).map((row) => ({ ...row, deed: unnumbered(row.deed) })),
    limits: limits.filter(mayRead).map((row) => ({ ...row, deed: unnumbered(row.deed) })),
    hours: hours.filter(mayRead),
  };
}

/** No subject has this name, so the answer equals that of an unknown subject. */
export const unknown: HistoryOf = { by: 'subject', subject: '' };

const rowsIn = ({ episodes, waits, findings, limits }: HistoryRead): number =>
  episodes.length + waits.length + findings.length + limits.length;

const kindsOf = ({ episodes, waits, findings, limits, hours }: HistoryRead) =>
  ({ episodes, waits, findings, limits, hours }) as const;

const isLonger = (read: HistoryRead, limit: number, countsHours: boolean): boolean =>
  Object.entries(kindsOf(read)).some(
    ([kind, rows]) => rows.length > limit && (countsHours || kind !== 'hours'),
  );

function newest(read: HistoryRead, limit: number): HistoryRead {
  const { episodes, waits, findings, limits, hours } = kindsOf(read);
  return {
    ...read,
    episodes: episodes.slice(-limit),
    waits: waits.slice(-limit),
    findings: findings.slice(-limit),
    limits: limits.slice(-limit),
    hours: hours.slice(-limit),
  };
}

const gapsOf = (sources: readonly SourceId[], { gaps }: HistoryRead) =>
  gaps.filter(({ source }) => sources.includes(source));

/** Checks the right before the lookup. A slower answer, or `more`, would reveal that the subject exists. */
export async function mayRead(
  subject: string,
  { accessControl, viewpoint: { provider } }: HistoryCaller,
  now: () => number,
  signal: AbortSignal,
): Promise<boolean> {
  if (accessControl === 'off' || provider.readable === undefined) return true;
  const right = await rightsTo([subject], provider as Provider, now, signal);
  return right(subject) === 'yes';
}

export interface ShownTo {
  readonly sources: readonly SourceId[];
  readonly limit: number;
  /** False for a party. Its answer has no hours. */
  readonly countsHours?: boolean;
  readonly caller: HistoryCaller;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Reads the rows that this caller may read. The answer does not reveal how many others exist. */
export async function shownTo<R extends HistoryRead>(
  { sources, limit, countsHours = true, caller, now, signal }: ShownTo,
  read: (rows: number) => Promise<R>,
): Promise<R> {
  const readable = async (rows: number) => {
    const found = await read(rows);
    const ours = { ...found, gaps: gapsOf(sources, found) };
    const shown = { ...found, ...(await visible(ours, sources, caller, now, signal)) };
    return { shown, isCut: found.more, isPart: rowsIn(shown) < rowsIn(ours) };
  };
  const first = await readable(limit);
  // The newest rows may belong to others.
  const { shown: all, isCut } =
    first.isCut && first.isPart && limit < limitMax ? await readable(limitMax) : first;
  return {
    ...all,
    ...newest(all, limit),
    more: isLonger(all, limit, countsHours) || (isCut && rowsIn(all) > 0),
    moreHolds: all.episodes.length > limit || (all.moreHolds && all.episodes.length > 0),
  };
}

/** The subjects of these holds, sorted by their longest hold. */
function byLongest(holds: readonly Hold[], nowMs: number): readonly HeldSubject[] {
  const subjects = new Map<string, HeldSubject>();
  for (const { subject } of [...holds].sort((a, b) => lastedMs(b, nowMs) - lastedMs(a, nowMs)))
    if (!subjects.has(subjectId(subject))) subjects.set(subjectId(subject), subject);
  return [...subjects.values()];
}

export async function answerHistory(
  request: Request,
  caller: HistoryCaller,
  { history, now }: HistoryRuntime,
): Promise<Response> {
  const { signal } = request;
  const { subject, source, fromMs, toMs, limit, ends, format } = readHistoryQuery(
    new URL(request.url).searchParams,
    now(),
  );
  const sourceState = caller.viewpoint.hub.snapshot().source;
  requireSource(source, sourceState);
  const sources = source === null ? partsOf(sourceState).map(({ id }) => id) : [source];
  const of = ofSubject(subject, sources);
  const state = history.state();
  const keptSinceMs = await history.since().catch(notRead);
  const isUnknown = of.by === 'subject' && !(await mayRead(of.subject, caller, now, signal));
  const countsHours = of.by !== 'party';
  const { moreHolds, ...shown } = await shownTo(
    { sources, limit, countsHours, caller, now, signal },
    (rows) => history.read(isUnknown ? unknown : of, { fromMs, toMs, limit: rows, ends }).catch(notRead),
  );
  const folded = shown.hours.length > 0;
  // Hours count all holders, so a party gets none.
  const hours = countsHours ? shown.hours : [];
  if (format !== 'json') return exported({ ...shown, moreHolds, hours }, format);
  const answer = sentHistory({
    from: fromMs,
    to: toMs,
    keptSinceMs,
    awaySinceMs: state?.awaySinceMs ?? null,
    off: state === null,
    folded,
    ...shown,
    hours,
    ...(subject.startsWith('prefix:')
      ? { usual: await history.usual(byLongest(shown.episodes, now())).catch(notRead) }
      : {}),
  });
  return Response.json(answer, { headers: noStore });
}
