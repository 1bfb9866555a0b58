'use client';
/** Every lock and semaphore of a prefix, for readers. */
import { clsx } from 'clsx';
import { useMemo } from 'react';
import { needsHuman } from '@/lib/domain/findings/need';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { slotsWords } from '@/lib/i18n/holding';
import { findingName } from '@/lib/i18n/sentences';
import type { BoardRow } from '@/lib/view/board-rows';
import { rowsInOrder, rowsMax } from './first-state';
import { EmbedName } from './name';
import { EmbedLamps, StateSentence } from './subject';
import { useEmbedWords } from './words';

interface BoardProps {
  readonly snapshot: Snapshot;
  /** Rows that are there and not in this snapshot. */
  readonly unsent: number;
  readonly compact: boolean;
}

export function EmbedBoard({ snapshot, unsent, compact }: BoardProps) {
  const { embed } = useEmbedWords();
  const rows = useMemo(() => rowsInOrder(snapshot), [snapshot]);
  const shown = rows.slice(0, rowsMax);
  const more = rows.length - shown.length + unsent;
  if (rows.length === 0) return <p className="text-[13px] text-ink-soft">{embed.notThere.board}</p>;
  return (
    <ul className="border-line border-t">
      {shown.map((row) => (
        <Row key={row.id} row={row} compact={compact} />
      ))}
      {more > 0 ? <li className="py-2 text-[13px] text-ink-dim">{embed.more(more)}</li> : null}
    </ul>
  );
}

function Row({ row, compact }: { row: BoardRow; compact: boolean }) {
  const m = useEmbedWords();
  const { board, embed } = m;
  const { of } = row;
  const text = of.kind === 'lock' ? board.lockStates[of.state] : slotsWords(of, m).short;
  return (
    <li className={clsx('border-line border-b', compact ? 'py-1' : 'py-2')} data-row={row.id}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
        <span className="w-3 shrink-0 text-[11px]">
          {row.urgency > 1 ? null : (
            <span className={row.urgency === 0 ? 'text-danger' : 'text-caution'}>
              <span aria-hidden="true">{row.urgency === 0 ? '▲' : '△'}</span>
              <span className="sr-only">{embed.sections.findings}</span>
            </span>
          )}
        </span>
        <span className="min-w-0 flex-1 basis-40">
          <EmbedName name={row.name} />
        </span>
        <span className="inline-flex items-center gap-2 text-[13px] text-ink-soft">
          <EmbedLamps of={of} max={6} />
          {text}
          {row.waiting === null || (row.waiting === 0 && !row.moreMayWait) ? null : (
            <span className="text-ink">{embed.waiting(row.waiting, row.moreMayWait)}</span>
          )}
        </span>
      </div>
      {compact ? (
        <Marks row={row} />
      ) : (
        <p className="pl-6 text-[13px] text-ink-soft">
          <StateSentence of={of} findings={row.findings} />
        </p>
      )}
    </li>
  );
}

/** Stands in where there is no room for a sentence. */
function Marks({ row }: { row: BoardRow }) {
  const m = useEmbedWords();
  const names = new Set(row.findings.filter(needsHuman).map((finding) => findingName(finding, m)));
  return names.size === 0 ? null : <p className="pl-6 text-[12px] text-ink-soft">{[...names].join(', ')}</p>;
}
