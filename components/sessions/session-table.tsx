'use client';
import { clsx } from 'clsx';
import { Fragment, memo, useMemo, useRef } from 'react';
import { RowMenu } from '@/components/copy/row-menu';
import { Link } from '@/components/dom/link';
import { useAllMessages } from '@/components/dom/locale';
import { useWalkedRows } from '@/components/list/rows';
import type { Steady } from '@/components/list/stable-order';
import { Unprinted } from '@/components/list/unprinted';
import { type RowWindow, Spacer } from '@/components/list/window';
import { useNow, useZone } from '@/components/live/clock';
import { useShownSource } from '@/components/live/sources';
import { Marked, Matched, useMarks } from '@/components/marks/marked';
import { SourceBadge } from '@/components/marks/source-badge';
import { subjectPath } from '@/lib/client/paths';
import { type Session, type Subject, shortId, subjectName } from '@/lib/domain/model';
import { sessionSubject } from '@/lib/domain/subject';
import { formatDuration, plain } from '@/lib/i18n/format/format';
import { sinceWords } from '@/lib/i18n/sentences';

export interface SessionRow {
  /** Names the session and its source. */
  readonly id: string;
  readonly session: Session;
}

const head = 'border-b border-line-strong bg-room px-3 py-1.5 text-left font-normal text-[12px] text-ink-dim';
const cell = 'hidden h-[32px] truncate border-b border-line px-3 align-middle md:table-cell';

/**
 * The list of sessions: a table on a wide screen, two lines for each session on a narrow one. Only the rows near the
 * window are in the page.
 */
export const SessionTable = memo(function SessionTable({ steady }: { steady: Steady<SessionRow> }) {
  const { sessions: texts } = useAllMessages();
  const body = useRef<HTMLTableSectionElement>(null);
  const ids = useMemo(() => steady.rows.map(({ row }) => row.id), [steady.rows]);
  const { window, active, handlers, onMenu } = useWalkedRows({ body, ids, steady });
  return (
    <>
      <table
        aria-label={texts.table}
        aria-rowcount={ids.length + 1}
        className="board-table block text-[13px] md:table"
      >
        <Head />
        <tbody ref={body} className="block md:table-row-group" {...handlers}>
          {window.rows.map(({ index, key, gap }) => {
            const item = steady.rows[index];
            if (item === undefined) return null;
            return (
              <Fragment key={key}>
                <Spacer height={gap} />
                <Row
                  row={item.row}
                  gone={item.gone}
                  index={index}
                  active={index === active}
                  measure={window.measure}
                  onMenu={onMenu}
                />
              </Fragment>
            );
          })}
          <Spacer height={window.after} />
        </tbody>
      </table>
      <Unprinted rows={window.unprinted} />
    </>
  );
});

/** The columns in their order. A narrow screen leaves some out. */
const widths = [
  ['session', 'w-[36%] pl-6! lg:w-[24%]'],
  ['node', null],
  ['ttl', 'w-24'],
  ['behavior', 'hidden w-32 lg:table-cell'],
  ['delay', 'hidden w-28 lg:table-cell'],
  ['holds', 'w-[20%]'],
  ['wants', 'w-[16%]'],
  ['since', 'hidden w-32 xl:table-cell'],
] as const;

function Head() {
  const { copy, sessions } = useAllMessages();
  const { columns } = sessions;
  return (
    <thead className="top-(--header-height) z-10 hidden md:table-header-group lg:sticky">
      <tr aria-rowindex={1}>
        {widths.map(([column, width]) => (
          <th key={column} scope="col" className={clsx(head, width)}>
            {columns[column]}
          </th>
        ))}
        <th scope="col" className={clsx(head, 'w-11')}>
          <span className="sr-only">{copy.button}</span>
        </th>
      </tr>
    </thead>
  );
}

interface RowProps {
  readonly row: SessionRow;
  /** The session has ended while the rows keep their place. */
  readonly gone: boolean;
  readonly index: number;
  readonly active: boolean;
  readonly onMenu: (open: boolean) => void;
  readonly measure: RowWindow['measure'];
}

const Row = memo(function Row({ row, gone, index, active, onMenu, measure }: RowProps) {
  const m = useAllMessages();
  const { session } = row;
  const marks = useMarks(session.name);
  const texts = m.sessions;
  const isGrey = useShownSource(session.source)?.isGrey === true;
  const ttl = session.ttlMs === null ? texts.noTtl : formatDuration(session.ttlMs, m.units);
  return (
    <tr
      ref={measure}
      data-index={index}
      data-row={row.id}
      aria-rowindex={index + 2}
      className={clsx(
        'relative block hover:bg-hover md:table-row',
        gone && 'opacity-55',
        isGrey && 'not-fresh',
      )}
    >
      <td className="block pt-2.5 pr-12 pl-4 md:pr-3 md:table-cell md:h-[32px] md:border-line md:border-b md:py-0 md:pl-6">
        <span className="flex min-w-0 items-baseline gap-2">
          <Link
            href={subjectPath(sessionSubject(session))}
            prefetch={false}
            tabIndex={active ? 0 : -1}
            data-walk
            className={clsx('row-link truncate font-medium', gone && 'line-through')}
          >
            {session.name === '' ? (
              <span className="text-ink-dim">{texts.unnamed}</span>
            ) : (
              <Marked text={plain(session.name)} ranges={marks} />
            )}
          </Link>
          <span className="shrink-0 font-mono text-[12px] text-ink-dim" title={session.id}>
            {shortId(session.id)}
          </span>
          {gone ? <span className="text-[12px] text-ink-dim">{m.board.gone}</span> : null}
          <SourceBadge source={session.source} />
          <Matched of={session} name={session.name} />
        </span>
      </td>
      <td className={cell}>
        {session.node}
        {session.nodeStatus === 'passing' ? null : (
          <span className={session.nodeStatus === 'unknown' ? 'text-ink-dim' : 'text-danger'}>
            {' '}
            {texts.nodeStatus[session.nodeStatus]}
          </span>
        )}
      </td>
      <td className={cell}>{ttl}</td>
      <td className={clsx(cell, 'hidden! text-ink-soft lg:table-cell!')}>
        {texts.behaviors[session.behavior]}
      </td>
      <td className={clsx(cell, 'hidden! text-ink-soft lg:table-cell!')}>
        {formatDuration(session.lockDelayMs, m.units)}
      </td>
      <td className={cell}>
        <Names subjects={session.holds} />
      </td>
      <td className={cell}>
        <Names subjects={session.wants} />
      </td>
      <td className={clsx(cell, 'hidden! text-ink-soft xl:table-cell!')}>
        <Since session={session} />
      </td>
      {/* The second line on a narrow screen, in place of the cells above. */}
      <td className="block border-line border-b px-4 pt-0.5 pb-2.5 text-[13px] text-ink-soft md:hidden">
        {session.node} · {texts.columns.ttl} {ttl} ·{' '}
        {m.subject.session.sentence(session.holds.length, session.wants.length)}
      </td>
      <td className="absolute -top-0.5 right-2 md:static md:h-[32px] md:border-line md:border-b md:pr-2 md:text-right md:align-middle">
        <RowMenu subject={sessionSubject(session)} tabIndex={active ? 0 : -1} onOpenChange={onMenu} />
      </td>
    </tr>
  );
});

/** The first name, and the number of further ones. All of them are in the tooltip. */
function Names({ subjects }: { subjects: readonly Subject[] }) {
  const [first, ...rest] = subjects;
  if (first === undefined) return <span className="text-ink-dim">–</span>;
  return (
    <span className="font-mono" title={subjects.map(subjectName).join('\n')}>
      {subjectName(first)}
      {rest.length === 0 ? null : <span className="font-sans text-ink-dim"> + {rest.length}</span>}
    </span>
  );
}

function Since({ session }: { session: Session }) {
  const m = useAllMessages();
  const words = sinceWords(session.since, { nowMs: useNow(), zone: useZone() }, m);
  return words === null ? null : <span title={words.basis}>{words.short}</span>;
}
