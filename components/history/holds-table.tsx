'use client';
/** The same history as a table: for readers without eyes, for print, and for exact times. */
import { useZone } from '@/components/live/clock';
import type { Hold, Moment } from '@/lib/domain/history/episode';
import { formatWhen } from '@/lib/i18n/format/format';
import type { DrawingWords } from './drawing';
import { endText, lastedText } from './end-text';
import type { MomentLinkProps } from './moment-link';

/** More than a person reads; exports have all. */
const shownMax = 200;

interface HoldsTableProps {
  readonly words: DrawingWords;
  /** Leads to the board of then; an embed has none. */
  readonly link?: React.ComponentType<MomentLinkProps>;
  readonly holds: readonly Hold[];
  readonly nowMs: number;
}

export function HoldsTable({ words: m, link: Link, holds, nowMs }: HoldsTableProps) {
  const { history } = m;
  const zone = useZone();
  const { columns } = history;
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
  return (
    <section
      aria-label={history.table}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: on a phone it is wider than the page, and keys move it.
      tabIndex={0}
      className="overflow-x-auto outline-brass focus-visible:outline-2"
    >
      <table className="w-full min-w-[34rem] text-left text-[12px]">
        <thead className="text-ink-dim">
          <tr>
            {[columns.who, columns.from, columns.to, columns.lasted, columns.end, columns.waiters].map(
              (name) => (
                <th key={name} scope="col" className="py-1 pr-3 font-medium">
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {holds
            .slice(-shownMax)
            .reverse()
            .map((hold) => (
              <tr key={hold.id} className="border-t border-line align-top">
                <td className="max-w-56 break-words py-1 pr-3">{hold.who.label}</td>
                <td className="whitespace-nowrap py-1 pr-3 tabular-nums">{time(hold.from)}</td>
                <td className="whitespace-nowrap py-1 pr-3 tabular-nums">
                  {hold.to === null ? '' : time(hold.to)}
                </td>
                <td className="whitespace-nowrap py-1 pr-3 tabular-nums">{lastedText(hold, nowMs, m)}</td>
                <td className="py-1 pr-3">{endText(hold, m)}</td>
                <td className="py-1 pr-3 tabular-nums">{hold.waitersMax ?? ''}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}
