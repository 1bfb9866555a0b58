'use client';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { clsx } from 'clsx';
import Link from 'next/link';
import { memo, useCallback, useRef } from 'react';
import { useNow, useZone } from '@/components/clock';
import { useListTop } from '@/components/list-top';
import { useMessages } from '@/components/locale';
import { formatDuration } from '@/lib/client/format';
import { paths, subjectName } from '@/lib/client/paths';
import { sinceWords } from '@/lib/client/sentences';
import { type Session, type Subject, shortId } from '@/lib/domain/model';

// The server cannot know the window. It renders as many rows as a large one shows; the browser corrects it.
const firstRect = { width: 1440, height: 1440 };

const head = 'border-b border-line-strong bg-room px-3 py-1.5 text-left font-normal text-[12px] text-ink-dim';
const cell = 'hidden h-9 truncate border-b border-line px-3 align-middle md:table-cell';

/** Sessions as one table of which only the rows near the window exist. */
export function SessionTable({ sessions }: { sessions: readonly Session[] }) {
  const texts = useMessages().sessions;
  const body = useRef<HTMLTableSectionElement>(null);
  const margin = useListTop(body);
  // With a new function the list would measure all of its rows again, at every scroll.
  const keyOf = useCallback((index: number) => sessions[index]?.id ?? index, [sessions]);
  const list = useWindowVirtualizer({
    count: sessions.length,
    estimateSize: () => 36,
    overscan: 16,
    scrollMargin: margin,
    initialRect: firstRect,
    getItemKey: keyOf,
  });
  const shown = list.getVirtualItems();
  const before = (shown[0]?.start ?? margin) - margin;
  const after = list.getTotalSize() + margin - (shown[shown.length - 1]?.end ?? margin);
  const { columns } = texts;
  return (
    <table
      aria-label={texts.table}
      aria-rowcount={sessions.length + 1}
      className="board-table block text-[13px] md:table"
    >
      <thead className="top-[49px] z-10 hidden md:table-header-group lg:sticky">
        <tr>
          <th scope="col" className={clsx(head, 'w-[24%] pl-6!')}>
            {columns.session}
          </th>
          <th scope="col" className={head}>
            {columns.node}
          </th>
          <th scope="col" className={clsx(head, 'w-24')}>
            {columns.ttl}
          </th>
          <th scope="col" className={clsx(head, 'hidden w-32 lg:table-cell')}>
            {columns.behavior}
          </th>
          <th scope="col" className={clsx(head, 'hidden w-28 lg:table-cell')}>
            {columns.delay}
          </th>
          <th scope="col" className={clsx(head, 'w-[20%]')}>
            {columns.holds}
          </th>
          <th scope="col" className={clsx(head, 'w-[16%]')}>
            {columns.wants}
          </th>
          <th scope="col" className={clsx(head, 'hidden w-32 xl:table-cell')}>
            {columns.since}
          </th>
        </tr>
      </thead>
      <tbody ref={body} className="block md:table-row-group">
        <Spacer height={before} />
        {shown.map((virtual) => {
          const session = sessions[virtual.index];
          if (session === undefined) return null;
          return (
            <SessionRow
              key={virtual.key}
              session={session}
              index={virtual.index}
              measure={list.measureElement}
            />
          );
        })}
        <Spacer height={after} />
      </tbody>
    </table>
  );
}

function Spacer({ height }: { height: number }) {
  if (height <= 0) return null;
  return (
    <tr className="block md:table-row">
      <td className="block p-0 md:table-cell" style={{ height }} />
    </tr>
  );
}

interface RowProps {
  readonly session: Session;
  readonly index: number;
  readonly measure: (element: HTMLTableRowElement | null) => void;
}

const SessionRow = memo(function SessionRow({ session, index, measure }: RowProps) {
  const m = useMessages();
  const texts = m.sessions;
  const ttl = session.ttlMs === null ? texts.noTtl : formatDuration(session.ttlMs, m.units);
  return (
    <tr ref={measure} data-index={index} className="relative block hover:bg-hover md:table-row">
      <td className="block px-4 pt-2.5 md:table-cell md:h-9 md:border-line md:border-b md:py-0 md:pl-6">
        <span className="flex min-w-0 items-baseline gap-2">
          <Link href={paths.session(session.id)} prefetch={false} className="row-link truncate font-medium">
            {session.name === '' ? <span className="text-ink-dim">{texts.unnamed}</span> : session.name}
          </Link>
          <span className="shrink-0 font-mono text-[12px] text-ink-dim" title={session.id}>
            {shortId(session.id)}
          </span>
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
        <Seen session={session} />
      </td>
      <td className="block border-line border-b px-4 pt-0.5 pb-2.5 text-[13px] text-ink-soft md:hidden">
        {session.node} · {columnsText(ttl, texts.columns.ttl)} ·{' '}
        {m.subject.session.sentence(session.holds.length, session.wants.length)}
      </td>
    </tr>
  );
});

const columnsText = (value: string, name: string) => `${name} ${value}`;

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

function Seen({ session }: { session: Session }) {
  const m = useMessages();
  const words = sinceWords(session.since, { nowMs: useNow(), zone: useZone() }, m);
  return words === null ? null : <span title={words.basis}>{words.short}</span>;
}
