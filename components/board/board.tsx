'use client';
/** The board: one sentence, the filters, and one table of every lock and semaphore in view. */
import { useMemo } from 'react';
import { ChangesButton } from '@/components/changes-button';
import { useSteadyRows } from '@/components/hold';
import { useMessages, usePageTitle } from '@/components/locale';
import { AsOf, isOld, useFreshness } from '@/components/shell/freshness';
import { Copy } from '@/components/ui/copy';
import { Empty } from '@/components/ui/empty';
import { useSnapshot } from '@/lib/client/queries';
import { boardSentence } from '@/lib/client/sentences';
import { filterRows, optionsOf, orderRows } from './query';
import { rowsOf } from './rows';
import { type Asked, useBoardQuery } from './state';
import { Table } from './table';
import { Toolbar } from './toolbar';

/** The first page: what needs a human first. `asked` is the query that the server rendered it for. */
export function Board({ asked }: { asked: Asked }) {
  const m = useMessages();
  usePageTitle(m.board.title);
  const snapshot = useSnapshot();
  const [query, change] = useBoardQuery(asked);
  const { locks, semaphores, findings } = snapshot;
  const rows = useMemo(() => rowsOf({ locks, semaphores, findings }), [locks, semaphores, findings]);
  const options = useMemo(() => optionsOf(rows), [rows]);
  const filtered = useMemo(() => filterRows(rows, query), [rows, query]);
  const ordered = useMemo(() => orderRows(filtered.rows, query), [filtered, query]);
  const steady = useSteadyRows(ordered, JSON.stringify(query));
  const sentence = boardSentence(snapshot, m);
  return (
    <>
      <div className="px-4 pt-6 pb-4 sm:px-6">
        <h1 className="sr-only">{m.board.title}</h1>
        <p className="max-w-[70ch] text-balance text-[21px] leading-7 tracking-[-0.01em]">
          <AsOf />
          {sentence.state} <span className="text-ink-dim">{sentence.counts}</span>
        </p>
      </div>
      <Toolbar query={query} change={change} counts={filtered.counts} options={options} />
      <div className="border-line border-t">
        {steady.rows.length === 0 ? (
          <Nothing any={rows.length > 0} />
        ) : (
          <Table steady={steady} grouped={query.group} />
        )}
      </div>
      <p className="px-4 py-4 text-[12px] text-ink-dim sm:px-6">
        {m.board.shown(ordered.length, rows.length)}.
        {ordered.some((row) => row.waiting === null) ? ` ${m.board.notVisibleNote}` : ''}
      </p>
      <ChangesButton changes={steady.changes} onApply={steady.applyNow} />
    </>
  );
}

/** An empty board says why it is empty: nothing is there, nothing matches, or nothing could be read. */
function Nothing({ any }: { any: boolean }) {
  const { board, shell } = useMessages();
  const freshness = useFreshness();
  if (any) return <Empty title={board.empty.filtered} text={board.empty.filteredText} />;
  if (freshness === 'catching-up') return <Empty title={shell.loading} />;
  if (isOld(freshness)) return <Empty title={shell.banner.downTitle} text={shell.banner.emptyDown} />;
  return (
    <Empty title={board.empty.none} text={board.empty.noneText}>
      <span className="inline-flex max-w-full items-center gap-2 rounded-[5px] border border-line bg-inset py-1 pr-1 pl-3">
        <code className="min-w-0 break-all text-[13px]">{board.empty.noneCommand}</code>
        <Copy
          text={board.empty.noneCommand}
          label={shell.copy.label(board.empty.noneCommand)}
          done={shell.copy.done}
        />
      </span>
    </Empty>
  );
}
