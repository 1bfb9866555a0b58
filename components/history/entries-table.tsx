'use client';
/** A timeline as a table, newest first: for readers without eyes, for print, and for exact times. */
import { useZone } from '@/components/live/clock';
import type { Moment } from '@/lib/domain/history/episode';
import { formatDuration, formatWhen } from '@/lib/i18n/format/format';
import { type Entry, isMoment } from '@/lib/view/history/entries';
import { lastedText } from './end-text';
import { entryText, type HistoryWords } from './entry-text';
import type { MomentLinkProps } from './moment-link';

/** More than a person reads; exports have all. */
const shownMax = 200;

interface EntriesTableProps {
  readonly words: HistoryWords;
  /** Leads to the board of then; an embed has none. */
  readonly link?: React.ComponentType<MomentLinkProps>;
  readonly entries: readonly Entry[];
  readonly nowMs: number;
}

const cell = 'py-1 pr-3';
const figure = `whitespace-nowrap tabular-nums ${cell}`;

/** The precision of an entry's ends. Those of gaps are sharp. */
function endsOf(entry: Entry): { readonly from: Moment; readonly to: Moment | null } {
  const exact = (atMs: number): Moment => ({ atMs, basis: 'observed' });
  switch (entry.kind) {
    case 'hold':
      return entry.hold;
    case 'wait':
      return entry.wait;
    case 'finding':
      return entry.finding;
    default:
      return {
        from: exact(entry.fromMs),
        to: entry.toMs === null || isMoment(entry) ? null : exact(entry.toMs),
      };
  }
}

export function EntriesTable({ words: m, link: Link, entries, nowMs }: EntriesTableProps) {
  const { history } = m;
  const zone = useZone();
  const { columns } = history;
  const shown = entries.slice(-shownMax).reverse();
  const time = ({ atMs, basis }: Moment) => {
    const text = formatWhen(atMs, nowMs, zone);
    return (
      <>
        {history.basis[basis]}
        {Link === undefined ? (
          text
        ) : (
          <Link
            atMs={atMs}
            title={history.past.boardAt(text)}
            className="underline decoration-line-strong underline-offset-3 hover:decoration-brass"
          >
            {text}
          </Link>
        )}
      </>
    );
  };
  const lasted = (entry: Entry) =>
    entry.kind === 'hold' || entry.kind === 'wait'
      ? lastedText(entry.kind === 'hold' ? entry.hold : entry.wait, nowMs, m)
      : isMoment(entry)
        ? ''
        : formatDuration((entry.toMs ?? nowMs) - entry.fromMs, m.units);
  return (
    <>
      <section
        aria-label={history.table}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: on a phone it is wider than the page, and keys move it.
        tabIndex={0}
        className="overflow-x-auto outline-brass focus-visible:outline-2"
      >
        <table className="w-full min-w-[42rem] text-left text-[12px]">
          <thead className="text-ink-dim">
            <tr>
              {[
                columns.from,
                columns.to,
                columns.what,
                columns.who,
                columns.lasted,
                columns.end,
                columns.waiters,
              ].map((name) => (
                <th key={name} scope="col" className="py-1 pr-3 font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((entry) => {
              const { what, who, text } = entryText(entry, m);
              const { from, to } = endsOf(entry);
              return (
                <tr key={`${entry.kind} ${entry.id}`} className="border-t border-line align-top">
                  <td className={figure}>{time(from)}</td>
                  <td className={figure}>{to === null ? '' : time(to)}</td>
                  <td className={cell}>{what}</td>
                  <td className={`max-w-56 break-words ${cell}`}>{who}</td>
                  <td className={figure}>{lasted(entry)}</td>
                  <td className={cell}>{text}</td>
                  <td className={figure}>{entry.kind === 'hold' ? (entry.hold.waitersMax ?? '') : ''}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      {shown.length === entries.length ? null : (
        <p className="text-[12px] text-ink-dim">{history.page.shown(shown.length, entries.length)}</p>
      )}
    </>
  );
}
