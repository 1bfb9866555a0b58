/** `GET /api/v1/history/figures`: the history below a prefix in figures. */
import { FiguresBook, type HistoryFigures } from '@/lib/domain/history/figures';
import { type Subject, subjectId } from '@/lib/domain/model';
import type { Provider } from '@/lib/domain/seam/provider';
import { partsOf } from '@/lib/domain/source-state';
import { requireSource } from '@/lib/server/http/known-source';
import { rightsTo } from '@/lib/server/identity/subject-rights';
import { type HistoryCaller, notRead } from './answer';
import { ofPrefix, readFiguresQuery } from './asked';
import type { HistoryBook } from './history';

export interface FiguresRuntime {
  readonly history: Pick<HistoryBook, 'read' | 'scan' | 'since' | 'writtenUntil' | 'state'>;
  readonly now: () => number;
}

/** Matches no rows, so that only gaps are read. */
const nothing = { by: 'subject', subject: '' } as const;

export async function answerFigures(
  request: Request,
  { accessControl, viewpoint: { provider, hub } }: HistoryCaller,
  { history, now }: FiguresRuntime,
): Promise<Response> {
  const { signal } = request;
  const { prefix, source, order, fromMs, toMs } = readFiguresQuery(new URL(request.url).searchParams, now());
  const state = hub.snapshot().source;
  requireSource(source, state);
  const sources = source === null ? partsOf(state).map(({ id }) => id) : [source];
  const isOpen = accessControl === 'off' || provider.readable === undefined;
  let seen = 0;
  const readable = async <R extends { readonly subject: Subject }>(rows: readonly R[]): Promise<R[]> => {
    signal.throwIfAborted();
    if (isOpen) return [...rows];
    const subjects = rows.map(({ subject }) => subjectId(subject));
    // A provider with this method is complete.
    const right = await rightsTo([...new Set(subjects)], provider as Provider, now, signal);
    return rows.filter(({ subject }) => right(subjectId(subject)) === 'yes');
  };
  const counting =
    <R extends { readonly subject: Subject }>(count: (row: R) => void) =>
    async (rows: readonly R[]) => {
      for (const row of await readable(rows)) {
        seen += 1;
        count(row);
      }
    };
  const keptSinceMs = await history.since().catch(notRead);
  const writtenUntilMs = await history.writtenUntil().catch(notRead);
  const { gaps } = await history.read(nothing, { fromMs, toMs, limit: 1 }).catch(notRead);
  const book = new FiguresBook(prefix, { fromMs, toMs }, { gaps, writtenUntilMs });
  const pages = history.scan(ofPrefix(prefix, sources), { fromMs, toMs });
  const read = async () => [
    await pages.holds(counting((hold) => book.hold(hold))),
    await pages.waits(counting((wait) => book.wait(wait))),
    await pages.hours(counting((hour) => book.hour(hour))),
  ];
  const scanned = await read().catch((cause) => {
    signal.throwIfAborted();
    return notRead(cause);
  });
  // The answer must not reveal how many rows of others exist. Hidden and absent rows both count as not counted.
  const isHidden = !isOpen && seen === 0;
  const readFromMs = isHidden ? [toMs] : scanned.flatMap((one) => one.readFromMs ?? []);
  const answer: HistoryFigures = {
    from: fromMs,
    to: toMs,
    cellMs: book.cellMs,
    countedFromMs: Math.max(fromMs, keptSinceMs ?? toMs, ...readFromMs),
    off: history.state() === null,
    gaps: gaps.filter((gap) => sources.includes(gap.source)),
    ...book.groups(order),
  };
  return Response.json(answer, { headers: { 'cache-control': 'no-store' } });
}
