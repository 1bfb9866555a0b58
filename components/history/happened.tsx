'use client';
/** The page of the history: events below a prefix in a range, newest first. The address has the query. */
import { clsx } from 'clsx';
import { SubjectLink } from '@/components/audit/deed-words';
import { useAddress } from '@/components/dom/address';
import { useAllMessages, usePageTitle } from '@/components/dom/locale';
import { SourceSelect } from '@/components/list/source-select';
import { useNow, useZone } from '@/components/live/clock';
import { SourceBadge } from '@/components/marks/source-badge';
import { Copy } from '@/components/ui/copy';
import { Empty } from '@/components/ui/empty';
import { Select } from '@/components/ui/select';
import { useLiveView } from '@/lib/client/page-data';
import { countedIn, type HistoryAnswer } from '@/lib/domain/history/answer';
import { subjectId } from '@/lib/domain/model';
import { formatCount, formatDuration, formatInstant, formatWhen } from '@/lib/i18n/format/format';
import { stuckNow } from '@/lib/view/actions/explained';
import { type Happening, happenedIn, withLosses } from '@/lib/view/history/happened';
import { type RemovedWaiter, removedIn } from '@/lib/view/history/removed';
import type { TimeRange } from '@/lib/view/history/timeline';
import { flagParameter, nameParameter, oneOf, textParameter } from '@/lib/view/url-parameter';
import { byWhom } from './deed-text';
import { endText, lastedText } from './end-text';
import { Figures } from './figures';
import { incidentReport } from './incident-report';
import { linkTo, rangeLengths, rangeNames, rangeOf } from './range';
import { RangeFields, RangeSteps } from './range-tools';
import { useHistory } from './use-history';

const parameters = {
  prefix: textParameter,
  range: oneOf(rangeNames, 'day'),
  lost: flagParameter,
  figures: flagParameter,
  source: nameParameter,
  from: nameParameter,
  to: nameParameter,
};

type Shown = Happening | RemovedWaiter;

/** More than a person reads; a shorter time has the rest. */
const shownMax = 300;

export function Happened() {
  const m = useAllMessages();
  const { history } = m;
  const words = history.page;
  usePageTitle(history.title);
  const nowMs = useNow();
  const zone = useZone();
  const [query, set] = useAddress(parameters);
  const { prefix, lost, source } = query;
  const fixed = rangeOf(query.from, query.to);
  const lengthMs = rangeLengths[query.range];
  const range =
    fixed === null ? { fromMs: nowMs - lengthMs, toMs: nowMs, live: true } : { ...fixed, live: false };
  const of = { subject: `prefix:${prefix}`, source };
  const { data: newest, isPlaceholderData: isEarlier, isError, refetch } = useHistory(of, range);
  // Released holds may have pushed older losses out.
  const lacks = newest?.more === true && !isEarlier;
  const { data: losses, isPlaceholderData } = useHistory({ ...of, ends: 'lost' }, range, { enabled: lacks });
  const data = lacks && losses !== undefined && !isPlaceholderData ? withLosses(newest, losses) : newest;
  const rows: readonly Shown[] =
    data === undefined
      ? []
      : [...happenedIn(data, nowMs, lost), ...(lost ? [] : removedIn(data))].sort((a, b) => b.atMs - a.atMs);
  const counted = data === undefined ? 0 : countedIn(data);
  // False while the answer is for the last prefix, source or range.
  const isRead =
    data !== undefined &&
    !isEarlier &&
    (fixed === null
      ? Math.abs(data.to - data.from - lengthMs) < 2_000
      : data.from === fixed.fromMs && data.to === fixed.toMs);
  const chosen = fixed === null ? query.range : 'fixed';
  const { snapshot } = useLiveView();
  const go = ({ fromMs, toMs }: TimeRange) => {
    // A range of a usual length that reaches the present moves with it.
    const name = rangeNames.find(
      (one) => toMs >= nowMs && Math.abs(toMs - fromMs - rangeLengths[one]) < 1_000,
    );
    set(
      name === undefined
        ? { from: String(Math.round(fromMs)), to: String(Math.round(toMs)) }
        : { range: name, from: null, to: null },
    );
  };
  const report = (answer: HistoryAnswer | undefined) => {
    if (answer === undefined) return '';
    const stuck = range.live ? stuckNow(snapshot.get(), { prefix, source }, { nowMs, zone }, m) : [];
    return incidentReport({ answer, prefix, zone, link: linkTo(range), stuck }, m);
  };
  return (
    <>
      <div className="flex flex-col gap-1 px-4 pt-6 pb-4 sm:px-6">
        <h1 className="sr-only">{history.title}</h1>
        <p className="max-w-[70ch] text-[21px] leading-7 tracking-[-0.01em]">{words.sentence}</p>
        <p className="max-w-[80ch] text-[13px] text-ink-soft">{words.help}</p>
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 pb-4 sm:px-6 print:hidden">
        <input
          type="search"
          value={prefix}
          onChange={(event) => set({ prefix: event.target.value })}
          aria-label={words.prefix}
          placeholder={words.prefix}
          autoComplete="off"
          spellCheck={false}
          className="h-7 min-w-0 flex-1 basis-40 rounded-[5px] border border-line bg-transparent px-2 text-[13px] text-ink placeholder:text-ink-dim hover:border-line-strong sm:max-w-72"
        />
        <Select
          label={history.ranges.label}
          value={chosen}
          active={chosen !== 'day'}
          options={[
            ...rangeNames.map((name) => ({ value: name as string, text: history.ranges[name] })),
            ...(fixed === null
              ? []
              : [
                  {
                    value: 'fixed',
                    text: words.between(formatInstant(fixed.fromMs, zone), formatInstant(fixed.toMs, zone)),
                  },
                ]),
          ]}
          onChange={(value) => {
            const name = rangeNames.find((one) => one === value);
            if (name !== undefined) set({ range: name, from: null, to: null });
          }}
        />
        <SourceSelect value={source} onChange={(next) => set({ source: next })} />
        <label className="inline-flex items-center gap-1.5 text-[13px] text-ink-soft">
          <input type="checkbox" checked={lost} onChange={(event) => set({ lost: event.target.checked })} />
          {words.lost}
        </label>
        {/* The element has its place before there is anything to report, so that the rest is not pushed down. */}
        <span
          className={clsx('inline-flex items-center gap-1 text-[13px] text-ink-soft', !isRead && 'invisible')}
        >
          {words.report}
          <Copy text={() => report(data)} label={words.copy} done={history.ranges.linkDone} />
        </span>
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 pb-4 sm:px-6 print:hidden">
        <div role="toolbar" aria-label={history.ranges.move} className="flex flex-wrap items-center gap-1.5">
          <RangeSteps range={range} nowMs={nowMs} onRange={go} />
        </div>
        <RangeFields range={range} nowMs={nowMs} onRange={go} />
      </div>
      <details
        open={query.figures}
        onToggle={({ currentTarget: { open } }) => {
          if (open !== query.figures) set({ figures: open });
        }}
        className="border-line border-t"
      >
        <summary className="cursor-pointer px-4 py-2 text-[13px] text-ink-soft max-md:py-3 sm:px-6">
          {history.figures.title}
        </summary>
        {query.figures ? (
          <Figures
            prefix={prefix}
            source={source}
            range={range}
            onOpen={(below, span) =>
              set({
                ...(below === null ? {} : { prefix: below }),
                ...(span === null ? {} : { from: String(span.fromMs), to: String(span.toMs) }),
              })
            }
          />
        ) : null}
      </details>
      <section
        id="list"
        tabIndex={-1}
        aria-label={words.list}
        className="border-line border-t outline-brass -outline-offset-2 focus-visible:outline-2"
      >
        {data === undefined ? (
          <Empty title={isError ? history.failed : history.loading}>
            {isError ? (
              <button type="button" className="text-brass-strong underline" onClick={() => void refetch()}>
                {history.again}
              </button>
            ) : null}
          </Empty>
        ) : data.off ? (
          <Empty title={history.off} />
        ) : rows.length === 0 ? (
          <Empty title={words.nothing} />
        ) : (
          <ol>
            {rows.slice(0, shownMax).map((row) => (
              <Row key={`${row.kind} ${row.id}`} row={row} nowMs={nowMs} />
            ))}
          </ol>
        )}
      </section>
      {data === undefined ? null : (
        <p role="status" className="px-4 py-4 text-[12px] text-ink-dim sm:px-6">
          {[
            words.shown(Math.min(rows.length, shownMax), rows.length),
            ...(isError ? [history.failed] : []),
            ...(counted === 0 ? [] : [history.folded(formatCount(counted))]),
            ...(data.more ? [history.more] : []),
            ...(data.awaySinceMs === null ? [] : [history.away(formatWhen(data.awaySinceMs, nowMs, zone))]),
            ...(data.keptSinceMs === null
              ? []
              : [history.keptSince(formatWhen(data.keptSinceMs, nowMs, zone))]),
          ].join(m.joint)}
        </p>
      )}
    </>
  );
}

function Row({ row, nowMs }: { row: Shown; nowMs: number }) {
  const m = useAllMessages();
  const zone = useZone();
  const { history, units } = m;
  const words = history.page;
  const subject =
    row.kind === 'gap'
      ? null
      : row.kind === 'limit'
        ? row.limit.subject
        : row.kind === 'flapping'
          ? row.finding.subject
          : row.kind === 'removed'
            ? row.wait.subject
            : row.hold.subject;
  const text = () => {
    switch (row.kind) {
      case 'ended':
        return words.held(row.hold.who.label, lastedText(row.hold, nowMs, m), endText(row.hold, m));
      case 'long':
        return words.long(
          row.hold.who.label,
          lastedText(row.hold, nowMs, m),
          formatDuration(row.usual.p99Ms, units),
          formatCount(row.usual.n),
          endText(row.hold, m),
        );
      case 'limit': {
        const { before, after, deed } = row.limit;
        return words.limit(before, after, deed === null ? null : byWhom(deed, m));
      }
      case 'removed': {
        const { who, deed } = row.wait;
        const how = history.waitEnds['removed-here'];
        return words.removed(
          who.label,
          lastedText(row.wait, nowMs, m),
          deed === null ? how : `${how}, ${byWhom(deed, m)}`,
        );
      }
      case 'flapping': {
        const { from, to } = row.finding;
        return words.flapping(formatDuration((to?.atMs ?? nowMs) - from.atMs, units));
      }
      case 'gap':
        return words.gap(
          history.gaps[row.gap.why],
          formatDuration((row.gap.toMs ?? nowMs) - row.gap.fromMs, units),
        );
    }
  };
  return (
    <li className="grid gap-x-4 gap-y-0.5 border-line border-b px-4 py-2 text-[13px] sm:px-6 md:grid-cols-[10rem_minmax(0,18rem)_minmax(0,1fr)]">
      <time dateTime={new Date(row.atMs).toISOString()} className="tabular-nums text-ink-dim">
        {formatWhen(row.atMs, nowMs, zone)}
      </time>
      <span className="min-w-0">
        {subject !== null ? (
          <SubjectLink id={subjectId(subject)} alone />
        ) : row.kind === 'gap' ? (
          <SourceBadge source={row.gap.source} />
        ) : null}
      </span>
      <span className="min-w-0 break-words">{text()}</span>
    </li>
  );
}
