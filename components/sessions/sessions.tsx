'use client';
/** All sessions on all nodes, in one list. */
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useMemo } from 'react';
import { Chip } from '@/components/board/toolbar';
import { useMessages, usePageTitle } from '@/components/locale';
import { AsOf, isOld, useFreshness } from '@/components/shell/freshness';
import { Empty } from '@/components/ui/empty';
import { Select } from '@/components/ui/select';
import { useSnapshotPart } from '@/lib/client/queries';
import type { Snapshot } from '@/lib/domain/snapshot';
import { filterSessions, sessionShows } from './query';
import { SessionTable } from './session-table';

const selectSessions = (snapshot: Snapshot) => snapshot.sessions;

const parsers = {
  q: parseAsString.withDefault(''),
  show: parseAsStringLiteral(sessionShows).withDefault('all'),
  node: parseAsString,
};

/** The page of sessions. */
export function Sessions() {
  const m = useMessages();
  const texts = m.sessions;
  usePageTitle(texts.title);
  const sessions = useSnapshotPart(selectSessions);
  const [query, set] = useQueryStates(parsers, { history: 'replace' });
  const { sessions: shown, counts } = useMemo(() => filterSessions(sessions, query), [sessions, query]);
  const nodes = useMemo(() => [...new Set(sessions.map((s) => s.node))].sort(), [sessions]);
  const holding = sessions.filter((s) => s.holds.length > 0).length;
  const waiting = sessions.filter((s) => s.wants.length > 0).length;
  const idle = sessions.filter((s) => s.holds.length === 0 && s.wants.length === 0).length;
  return (
    <>
      <div className="px-4 pt-6 pb-4 sm:px-6">
        <h1 className="sr-only">{texts.title}</h1>
        <p className="max-w-[70ch] text-[21px] leading-7 tracking-[-0.01em]">
          <AsOf />
          {texts.sentence(sessions.length, holding, waiting, idle)}
        </p>
      </div>
      <div className="scroll-row flex items-center gap-x-3 gap-y-2 px-4 pb-3 sm:px-6 md:flex-wrap">
        <fieldset className="flex gap-1 md:flex-wrap">
          <legend className="sr-only">{m.board.show.label}</legend>
          {sessionShows.map((show) => (
            <Chip
              key={show}
              text={texts.show[show]}
              count={counts[show]}
              on={query.show === show}
              urgent={false}
              onClick={() => void set({ show: show === 'all' ? null : show })}
            />
          ))}
        </fieldset>
        <Select
          label={m.board.filters.node}
          value={query.node ?? ''}
          active={query.node !== null}
          options={[{ value: '', text: m.board.filters.any }, ...nodes.map((n) => ({ value: n, text: n }))]}
          onChange={(value) => void set({ node: value === '' ? null : value })}
        />
      </div>
      <div className="border-line border-t">
        {shown.length === 0 ? <Nothing any={sessions.length > 0} /> : <SessionTable sessions={shown} />}
      </div>
      <p className="px-4 py-4 text-[12px] text-ink-dim sm:px-6">
        {m.board.shown(shown.length, sessions.length)}
      </p>
    </>
  );
}

function Nothing({ any }: { any: boolean }) {
  const { board, sessions, shell } = useMessages();
  const freshness = useFreshness();
  if (any) return <Empty title={board.empty.filtered} text={board.empty.filteredText} />;
  if (freshness === 'catching-up') return <Empty title={shell.loading} />;
  if (isOld(freshness)) return <Empty title={shell.banner.downTitle} text={shell.banner.emptyDown} />;
  return <Empty title={sessions.empty.none} text={sessions.empty.noneText} />;
}
