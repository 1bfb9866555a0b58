'use client';
/** The holds and waits at one instant. Each name leads to the subject's page, with the half hours around. */
import { clsx } from 'clsx';
import { Link } from '@/components/dom/link';
import { useAllMessages } from '@/components/dom/locale';
import { byWhom } from '@/components/history/deed-text';
import { lastedText } from '@/components/history/end-text';
import { useZone } from '@/components/live/clock';
import { useSourceTitle } from '@/components/live/sources';
import { Lamp } from '@/components/marks/lamp';
import { Name } from '@/components/marks/name';
import { subjectPath } from '@/lib/client/paths';
import type { Hold } from '@/lib/domain/history/episode';
import type { PastHolder } from '@/lib/domain/history/past';
import { formatWhen } from '@/lib/i18n/format/format';
import type { PastRow } from '@/lib/view/history/past-rows';

const aroundMs = 30 * 60_000;
const namesMax = 4;
const cell = 'block px-4 py-0.5 pl-9 align-top md:table-cell md:border-line md:border-b md:px-3 md:py-1.5';
const head = 'border-line-strong border-b px-3 py-1.5 text-left font-normal text-[12px] text-ink-dim';

/** A hold for the words about its length. */
const spanOf = ({ since, until }: PastHolder): Pick<Hold, 'from' | 'to'> => ({ from: since, to: until });

export function PastTable({ rows, atMs }: { rows: readonly PastRow[]; atMs: number }) {
  const { past } = useAllMessages().history;
  const { columns } = past;
  return (
    <table aria-label={past.table} className="block w-full text-[13px] md:table">
      <thead className="hidden md:table-header-group">
        <tr>
          {[columns.name, columns.holder, columns.since, columns.waiting, columns.end].map((name) => (
            <th key={name} scope="col" className={head}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="block md:table-row-group">
        {rows.map((row) => (
          <Row key={row.id} row={row} atMs={atMs} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row, atMs }: { row: PastRow; atMs: number }) {
  const m = useAllMessages();
  const { past } = m.history;
  const { of, subject, findings, severity } = row;
  const limit = of.kind === 'semaphore' ? of.limit : undefined;
  const around = `&from=${atMs - aroundMs}&to=${atMs + aroundMs}`;
  return (
    <tr className="block border-line py-2 max-md:border-b md:table-row md:py-0">
      <td className={clsx(cell, 'max-md:pl-4!')}>
        <span className="flex min-w-0 items-center gap-2">
          <Mark row={row} />
          <Link
            href={`${subjectPath(subject)}${around}`}
            prefetch={false}
            className="min-w-0 max-w-full break-all underline decoration-line-strong underline-offset-3 hover:decoration-brass max-md:inline-flex max-md:min-h-[44px] max-md:items-center"
          >
            <Name name={row.name} />
          </Link>
          <SourceTitle source={of.source} />
        </span>
        {findings.length === 0 ? null : (
          <span
            className={clsx(
              'block pl-5 text-[12px]',
              severity === 'urgent' ? 'text-danger' : 'text-ink-soft',
            )}
          >
            {findings.map(({ code }) => m.findings[code].short).join(' · ')}
          </span>
        )}
      </td>
      <td className={cell}>
        <Holders holders={of.holders} atMs={atMs} />
        {limit === undefined || of.holders.length === 0 ? null : (
          <span className="block text-[12px] text-ink-dim">{past.slots(of.holders.length, limit)}</span>
        )}
      </td>
      <td className={clsx(cell, 'whitespace-nowrap tabular-nums max-md:hidden!')}>
        {of.holders.slice(0, namesMax).map((holder) => (
          <span key={holder.sessionId} className="block">
            {lastedText({ from: holder.since, to: null }, atMs, m)}
          </span>
        ))}
      </td>
      <td className={cell}>
        <span className="text-ink-dim md:hidden">{past.columns.waiting} </span>
        <Waiting row={row} />
      </td>
      <td className={clsx(cell, 'text-ink-soft')}>
        {of.holders.slice(0, namesMax).map((holder) => (
          <span key={holder.sessionId} className="block">
            {of.holders.length > 1 ? (
              <span className="md:hidden">
                {holder.label}
                {m.colon}
              </span>
            ) : null}
            <End holder={holder} atMs={atMs} />
          </span>
        ))}
      </td>
    </tr>
  );
}

/** The title of a source, live or not. Nothing where there is only one. */
function SourceTitle({ source }: { source: string }) {
  const title = useSourceTitle()(source);
  return title === null ? null : <span className="shrink-0 text-[12px] text-ink-dim">{title}</span>;
}

/** The triangle of what needed attention then. */
function Mark({ row: { severity } }: { row: PastRow }) {
  const { severities } = useAllMessages();
  if (severity !== 'urgent' && severity !== 'warning') return <span className="w-3 shrink-0" />;
  return (
    <span className="w-3 shrink-0 leading-none">
      <span
        aria-hidden="true"
        className={clsx('text-[11px]', severity === 'urgent' ? 'text-danger' : 'text-caution')}
      >
        {severity === 'urgent' ? '▲' : '△'}
      </span>
      <span className="sr-only">{severities[severity]}</span>
    </span>
  );
}

function Holders({ holders, atMs }: { holders: readonly PastHolder[]; atMs: number }) {
  const m = useAllMessages();
  const { verdicts, history } = m;
  const { past } = history;
  if (holders.length === 0) return <span className="text-ink-dim">{past.holderUnknown}</span>;
  return (
    <>
      {holders.slice(0, namesMax).map(({ sessionId, label, session, verdict, since }) => (
        <span key={sessionId} className="flex min-w-0 items-center gap-1.5" title={sessionId}>
          <Lamp kind={verdict} size={12} />
          <span className="min-w-0 break-words">
            {label}
            {session === null ? null : <span className="text-ink-dim"> · {session.node}</span>}
          </span>
          <span className={verdict === 'alive' ? 'sr-only' : 'text-[12px] text-ink-soft'}>
            {verdicts[verdict].word}
          </span>
          {/* The phone has no column of its own for it. */}
          <span className="whitespace-nowrap text-ink-soft tabular-nums md:hidden">
            {lastedText({ from: since, to: null }, atMs, m)}
          </span>
        </span>
      ))}
      {holders.length > namesMax ? (
        <span className="text-ink-dim">{past.more(holders.length - namesMax)}</span>
      ) : null}
    </>
  );
}

function Waiting({ row: { of } }: { row: PastRow }) {
  const { past } = useAllMessages().history;
  const { waiters } = of;
  if (waiters === undefined) return <span className="text-ink-dim">{past.waitingUnknown}</span>;
  return <span title={waiters.map(({ label }) => label).join(', ')}>{waiters.length}</span>;
}

function End({ holder, atMs }: { holder: PastHolder; atMs: number }) {
  const m = useAllMessages();
  const { history } = m;
  const zone = useZone();
  const { until, end, deed } = holder;
  if (until === null) return history.past.goesOn;
  const how = end === null ? history.unsettled : history.ends[end];
  return history.past.ended(
    deed === null ? how : `${how}, ${byWhom(deed, m)}`,
    `${history.basis[until.basis]}${formatWhen(until.atMs, atMs, zone)}`,
    lastedText(spanOf(holder), atMs, m),
  );
}
