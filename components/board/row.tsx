'use client';
import { clsx } from 'clsx';
import { memo, useId } from 'react';
import { RowMenu } from '@/components/copy/row-menu';
import { Link } from '@/components/dom/link';
import { useMessages } from '@/components/dom/locale';
import type { RowWindow } from '@/components/list/window';
import { useNow, useZone } from '@/components/live/clock';
import { useShownSource } from '@/components/live/sources';
import { Lamp } from '@/components/marks/lamp';
import { Matched, useMarks } from '@/components/marks/marked';
import { Name } from '@/components/marks/name';
import { SlotMeter } from '@/components/marks/slots';
import { SourceBadge } from '@/components/marks/source-badge';
import { Flash } from '@/components/ui/flash';
import { subjectPath } from '@/lib/client/paths';
import { capabilities, freeOf } from '@/lib/domain/capabilities';
import { holdersWith } from '@/lib/domain/holders';
import type { Party, Verdict } from '@/lib/domain/model';
import { waitingSentence } from '@/lib/i18n/holding';
import { expiryWords, findingName, lockSentence, semaphoreSentence, sinceWords } from '@/lib/i18n/sentences';
import { type BoardRow, rowNeedsHuman } from '@/lib/view/board-rows';
import { subjectOfRow } from '@/lib/view/search/find';
import { Hour } from './hour';
import { Why } from './why';

interface RowProps {
  readonly row: BoardRow;
  /** The row left the board while the rows keep their place. */
  readonly gone: boolean;
  /** A card: a sentence stands for the columns. */
  readonly narrow: boolean;
  readonly active: boolean;
  readonly index: number;
  readonly measure: RowWindow['measure'];
  /** Called when the row's menu opens or closes. */
  readonly onMenu: (open: boolean) => void;
}

/** Room below the columns for the reason, until that has a column of its own. */
const room = 'xl:max-wide:group-data-needs:pb-7';
const cell = `hidden h-[32px] border-b border-line px-3 align-middle md:table-cell ${room}`;

/** The whole row is one link with a menu at its end. */
export const Row = memo(function Row({ row, gone, narrow, active, index, measure, onMenu }: RowProps) {
  const { board } = useMessages();
  const of = row.of;
  const subject = subjectOfRow(row);
  const whyId = useId();
  const needs = rowNeedsHuman(row) && !gone;
  const source = useShownSource(of.source);
  return (
    <tr
      ref={measure}
      data-index={index}
      data-row={row.id}
      data-needs={needs ? '' : undefined}
      aria-rowindex={index + 2}
      className={clsx(
        'group relative block hover:bg-hover md:table-row',
        gone && 'opacity-55',
        source?.isGrey && 'not-fresh',
      )}
    >
      <td
        className={clsx(
          'block border-line pt-2.5 pr-12 pl-4 align-middle md:table-cell md:h-[32px] md:border-b md:py-0 md:pr-3 md:pl-4',
          room,
        )}
      >
        <span className="flex min-w-0 items-center gap-2">
          <Mark row={row} />
          <Link
            href={subjectPath(subject)}
            prefetch={false}
            tabIndex={active ? 0 : -1}
            data-walk
            // The parts are boxes, which would be read with pauses between them.
            aria-label={source === null ? row.name : `${row.name} · ${source.title}`}
            aria-describedby={needs ? whyId : undefined}
            className={clsx('row-link min-w-0 max-w-full', gone && 'line-through')}
          >
            <SoughtName name={row.name} />
          </Link>
          <Matched of={of} name={row.name} />
          <SourceBadge source={of.source} />
          {gone ? <span className="text-[12px] text-ink-dim">{board.gone}</span> : null}
        </span>
      </td>
      <td
        className={clsx(
          'block py-0.5 pr-4 pl-9 align-middle md:table-cell md:h-[32px] md:border-b md:border-line md:px-3 md:py-0',
          room,
        )}
      >
        <span className="block max-w-52">
          <SlotMeter of={of} />
        </span>
      </td>
      <td className={clsx(cell, 'text-right')}>
        <Waiting row={row} />
      </td>
      <td className={cell}>
        <Holders row={row} />
      </td>
      <td className={clsx(cell, 'hidden! whitespace-nowrap text-ink-soft lg:table-cell!')}>
        <SinceCell row={row} />
      </td>
      <td className={clsx(cell, 'hidden! whitespace-nowrap text-ink-soft xl:table-cell!')}>
        <EndsCell row={row} />
      </td>
      <td className={clsx(cell, 'hidden! xl:table-cell!')}>
        <Hour subject={row.id} />
      </td>
      <td className="hidden h-[32px] border-line border-b p-0 align-middle xl:table-cell wide:px-3 wide:py-0.5">
        {needs ? <Why row={row} textId={whyId} tabIndex={active ? 0 : -1} /> : null}
      </td>
      {narrow ? (
        <td className="block border-line border-b pr-4 pb-2.5 pl-9 text-[13px] text-ink-soft md:hidden">
          <Sentence row={row} />
        </td>
      ) : null}
      <td
        className={clsx(
          'absolute -top-0.5 right-2 md:static md:h-[32px] md:border-line md:border-b md:pr-2 md:text-right md:align-middle',
          room,
        )}
      >
        <RowMenu subject={subject} tabIndex={active ? 0 : -1} onOpenChange={onMenu} />
      </td>
    </tr>
  );
});

function SoughtName({ name }: { name: string }) {
  return <Name name={name} marks={useMarks(name)} />;
}

function Mark({ row }: { row: BoardRow }) {
  return row.urgency > 1 ? <span className="w-3 shrink-0" /> : <Call row={row} />;
}

/** The triangle of a need: red and filled where it is urgent, amber for a warning. */
function Call({ row }: { row: BoardRow }) {
  const m = useMessages();
  const words = row.findings.map((finding) => findingName(finding, m)).join(' · ');
  return (
    <span className="w-3 shrink-0 leading-none" title={words}>
      <span
        aria-hidden="true"
        className={clsx('text-[11px]', row.urgency === 0 ? 'text-danger' : 'text-caution')}
      >
        {row.urgency === 0 ? '▲' : '△'}
      </span>
      <span className="sr-only">{m.severities[row.urgency === 0 ? 'urgent' : 'warning']}</span>
    </span>
  );
}

const queueDots = ['first', 'second', 'third', 'fourth'] as const;

function Waiting({ row: { of, waiting, moreMayWait: more, layout } }: { row: BoardRow }) {
  const m = useMessages();
  const { board } = m;
  const { waiters, holds } = capabilities[layout];
  const bySession = holds === 'session';
  if (waiting === null)
    return (
      <span title={bySession ? board.notVisibleNote : waitingSentence(of, m)} className="text-ink-dim">
        <span aria-hidden="true">{board.notVisible}</span>
        <span className="sr-only">{bySession ? board.notVisibleLong : waitingSentence(of, m)}</span>
      </span>
    );
  return (
    <span
      className="flex items-center justify-end gap-1.5"
      title={waiters === 'counted' ? waitingSentence(of, m) : undefined}
    >
      <span aria-hidden="true" className="flex -space-x-2">
        {queueDots.slice(0, waiting).map((place) => (
          <Lamp key={place} kind="waiting" size={13} />
        ))}
      </span>
      <span className={clsx('min-w-[2ch] rounded-sm px-0.5', waiting === 0 ? 'text-ink-dim' : 'text-ink')}>
        <Flash of={String(waiting)}>{waiting}</Flash>
        {more ? (
          <span title={board.moreMayWait}>
            <span aria-hidden="true">+</span>
            <span className="sr-only">{board.moreMayWait}</span>
          </span>
        ) : null}
      </span>
    </span>
  );
}

const namesMax = 4;

function Holders({ row }: { row: BoardRow }) {
  const { board, verdicts } = useMessages();
  const there = row.holders.filter((holder) => holder.verdict !== 'ghost');
  const ghosts = row.of.kind === 'semaphore' ? holdersWith(row.of, 'ghost') : 0;
  if (row.holders.length === 0) {
    // A semaphore with unnamed holders may be held.
    if (row.of.kind === 'semaphore' && freeOf(row.of) !== undefined)
      return <span className="text-ink-dim">{row.layout === 'redisson-latch' ? '' : board.unnamed}</span>;
    const isUnknown = row.of.kind === 'lock' ? row.of.state === 'unknown' : row.of.recorded === null;
    return <span className="text-ink-dim">{isUnknown ? board.lockStates.unknown : board.nobody}</span>;
  }
  const [only] = there;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="min-w-0 truncate empty:hidden">
        {there.length === 1 && only !== undefined ? (
          <>
            {only.label}
            {only.session === null ? null : <span className="text-ink-dim"> · {only.session.node}</span>}
          </>
        ) : (
          there
            .slice(0, namesMax)
            .map((holder) => holder.label)
            .join(', ')
        )}
      </span>
      {there.length > namesMax ? (
        <span className="shrink-0 text-ink-dim">{board.more(there.length - namesMax)}</span>
      ) : null}
      {ghosts > 0 ? (
        <span className="shrink-0 text-ink-soft">{board.ghosts(ghosts, there.length > 0)}</span>
      ) : null}
      <DoubtWords verdicts={row.verdicts} words={verdicts} alone={there.length === 1 && ghosts === 0} />
    </span>
  );
}

interface DoubtProps {
  readonly verdicts: readonly Verdict[];
  readonly words: Readonly<Record<Verdict, { readonly word: string }>>;
  readonly alone: boolean;
}

/** Living holders need no word; a ghost was counted before. */
function DoubtWords({ verdicts, words, alone }: DoubtProps) {
  const shown = verdicts.filter((verdict) => verdict !== 'ghost' && (alone || verdict !== 'alive'));
  if (shown.length === 0) return null;
  return (
    <span className="ml-auto flex shrink-0 items-center gap-2 pl-2 text-[12px] text-ink-soft">
      {shown.map((verdict) => (
        <span key={verdict} className="inline-flex items-center gap-1">
          <Lamp kind={verdict} size={12} />
          {words[verdict].word}
        </span>
      ))}
    </span>
  );
}

const doubtOrder: readonly Verdict[] = [
  'immortal',
  'node-bound',
  'ghost',
  'unknown',
  'suspect',
  'overdue',
  'alive',
];

/** The columns "since" and "ends" are about the holder in most doubt. */
function mostDoubtful(row: BoardRow): Party | null {
  for (const verdict of doubtOrder) {
    const found = row.holders.find((holder) => holder.verdict === verdict);
    if (found !== undefined) return found;
  }
  return null;
}

function SinceCell({ row }: { row: BoardRow }) {
  const m = useMessages();
  const moment = { nowMs: useNow(), zone: useZone() };
  const oldest = row.holders.reduce<Party | null>(
    (old, holder) =>
      holder.since !== null && (old?.since == null || holder.since.atMs < old.since.atMs) ? holder : old,
    null,
  );
  const words = sinceWords(oldest?.since ?? null, moment, m);
  if (words === null)
    return row.holders.length === 0 ? null : <span className="text-ink-dim">{m.since.unknown}</span>;
  return (
    <span title={words.basis}>
      {words.short}
      {words.age === null ? null : <span className="hidden text-ink-dim wide:inline"> · {words.age}</span>}
    </span>
  );
}

function EndsCell({ row }: { row: BoardRow }) {
  const m = useMessages();
  const moment = { nowMs: useNow(), zone: useZone() };
  const holder = mostDoubtful(row);
  if (holder === null) return null;
  const words = expiryWords(holder, moment, m, capabilities[row.layout].holds);
  return <span title={words.long}>{words.short}</span>;
}

function Sentence({ row }: { row: BoardRow }) {
  const m = useMessages();
  const moment = { nowMs: useNow(), zone: useZone() };
  const { of, findings, holders } = row;
  if (of.kind === 'lock') return <>{lockSentence(of, moment, m, findings)}</>;
  return (
    <>
      {/* A lock's verdict names its holder. */}
      {holders.length === 0 ? null : (
        <span className="block text-ink">
          <Holders row={row} />
        </span>
      )}
      {semaphoreSentence(of, moment, m, findings)}
    </>
  );
}
