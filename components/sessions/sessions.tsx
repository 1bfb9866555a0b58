'use client';
/** All sessions on all nodes, in one list. */
import { clsx } from 'clsx';
import { useDeferredValue, useMemo, useState } from 'react';
import { useAddress } from '@/components/dom/address';
import { useAllMessages, usePageTitle } from '@/components/dom/locale';
import { ChangesButton } from '@/components/list/changes-button';
import { Chip } from '@/components/list/chip';
import { MoreFilters } from '@/components/list/more-filters';
import { SourceSelect } from '@/components/list/source-select';
import { useSteadyRows } from '@/components/list/stable-order';
import { Views } from '@/components/list/views';
import { EmptyOld } from '@/components/live/empty-old';
import { FreezeButton } from '@/components/live/freeze';
import { AsOf, useFreshness } from '@/components/live/freshness';
import { useSight } from '@/components/live/unproven-absence';
import { Sought } from '@/components/marks/marked';
import { Empty } from '@/components/ui/empty';
import { Select } from '@/components/ui/select';
import { Statement } from '@/components/ui/statement';
import { isOld } from '@/lib/client/freshness';
import { useSnapshotPart } from '@/lib/client/page-data';
import { type Session, subjectId } from '@/lib/domain/model';
import { sessionSubject } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { searchSessions } from '@/lib/view/search/find';
import { nameParameter, oneOf, textParameter } from '@/lib/view/url-parameter';
import { cachesViews } from '@/lib/view/view-cache';
import { countSessions, filterSessions, sessionShows } from './query';
import { type SessionRow, SessionTable } from './session-table';

const selectSessions = (snapshot: Snapshot) => snapshot.sessions;
const selectIsPart = ({ scope }: Snapshot) => scope === 'part';

const parameters = {
  q: textParameter,
  show: oneOf(sessionShows, 'all'),
  node: nameParameter,
  source: nameParameter,
};

export function Sessions() {
  const m = useAllMessages();
  const texts = m.sessions;
  usePageTitle(texts.title);
  const sessions = useSnapshotPart(selectSessions);
  const [query, set] = useAddress(parameters);
  const listed = useDeferredValue(query);
  const { q } = listed;
  const hits = useMemo(() => searchSessions(q, sessions), [q, sessions]);
  const { sessions: shown, counts } = useMemo(
    () => filterSessions(sessions, listed, hits),
    [sessions, listed, hits],
  );
  const rows = useMemo(() => shown.map(rowOf), [shown]);
  const steady = useSteadyRows(rows, JSON.stringify(listed));
  const nodes = useMemo(() => [...new Set(sessions.map((s) => s.node))].sort(), [sessions]);
  const { holding, wanting, idle } = useMemo(() => countSessions(sessions), [sessions]);
  const sight = useSight();
  const isPart = useSnapshotPart(selectIsPart);
  const [more, setMore] = useState(false);
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3 pt-0 md:px-6 md:pt-6 md:pb-4">
        <h1 className="sr-only">{texts.title}</h1>
        <Statement>
          <AsOf />
          {sight === null
            ? texts.sentence(sessions.length, holding, wanting, idle, isPart)
            : sight === 'no-key'
              ? m.sight.noKey(sessions.length)
              : sight === 'hidden-sessions'
                ? m.sight.noneOfThem
                : m.sight.noSession}
        </Statement>
        <span
          className={clsx('flex items-center gap-2 max-md:px-4 max-md:pb-2', more ? '' : 'max-md:hidden')}
        >
          <Views />
          <FreezeButton />
        </span>
      </div>
      <div className="scroll-row flex items-center gap-x-3 gap-y-2 px-4 pb-3 sm:px-6 md:flex-wrap">
        <fieldset className="flex gap-1 md:flex-wrap">
          <legend className="sr-only">{m.board.show.label}</legend>
          <MoreFilters open={more} on={0} onChange={setMore} />
          {sessionShows.map((show) => (
            <Chip
              key={show}
              text={texts.show[show]}
              count={counts[show]}
              on={query.show === show}
              urgent={false}
              onClick={() => set({ show: show === 'all' ? null : show })}
            />
          ))}
        </fieldset>
        <Select
          label={m.board.filters.node}
          value={query.node ?? ''}
          active={query.node !== null}
          options={[{ value: '', text: m.board.filters.any }, ...nodes.map((n) => ({ value: n, text: n }))]}
          onChange={(value) => set({ node: value === '' ? null : value })}
        />
        <SourceSelect value={query.source} onChange={(source) => set({ source })} />
      </div>
      <div className="border-line border-t">
        {steady.rows.length === 0 ? (
          <Nothing any={sessions.length > 0} />
        ) : (
          <Sought text={q}>
            <SessionTable steady={steady} />
          </Sought>
        )}
      </div>
      <p className="px-4 py-4 text-[12px] text-ink-dim sm:px-6">
        {m.board.shown(shown.length, sessions.length)}
      </p>
      <ChangesButton changes={steady.changes} onApply={steady.applyNow} />
    </>
  );
}

const rows = new WeakMap<Session, SessionRow>();

/** An unchanged session is the same row, and does not render. */
function rowOf(session: Session): SessionRow {
  const known = rows.get(session);
  if (known !== undefined) return known;
  const row = { id: subjectId(sessionSubject(session)), session };
  if (cachesViews) rows.set(session, row);
  return row;
}

function Nothing({ any }: { any: boolean }) {
  const { board, sessions, shell, sight: words, joint } = useAllMessages();
  const sight = useSight();
  const freshness = useFreshness();
  if (any) return <Empty title={board.empty.filtered} text={board.empty.filteredText} />;
  if (freshness === 'catching-up') return <Empty title={shell.loading} />;
  if (isOld(freshness)) return <EmptyOld none={sessions.empty.none} />;
  if (sight !== null)
    return <Empty title={sessions.empty.none} text={[words.left, words.needed].join(joint)} />;
  return <Empty title={sessions.empty.none} text={sessions.empty.noneText} />;
}
