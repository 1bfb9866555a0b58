'use client';
/** The board: one sentence, the filters, and one table of every lock and semaphore in view. */
import { clsx } from 'clsx';
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useAddress } from '@/components/dom/address';
import { Link } from '@/components/dom/link';
import { useMessages, usePageTitle } from '@/components/dom/locale';
import { ChangesButton } from '@/components/list/changes-button';
import { useSteadyRows } from '@/components/list/stable-order';
import { Views } from '@/components/list/views';
import { EmptyOld } from '@/components/live/empty-old';
import { useAhead } from '@/components/live/first-part';
import { FreezeButton } from '@/components/live/freeze';
import { AsOf, useFreshness } from '@/components/live/freshness';
import { useSources } from '@/components/live/sources';
import { type UnprovenAbsence, useSight } from '@/components/live/unproven-absence';
import { Sought } from '@/components/marks/marked';
import { PastButton } from '@/components/past/past-button';
import { ShareButton } from '@/components/sharing/share-button';
import { Button } from '@/components/ui/button';
import { Copy } from '@/components/ui/copy';
import { Empty } from '@/components/ui/empty';
import { Statement } from '@/components/ui/statement';
import { isOld } from '@/lib/client/freshness';
import { useSnapshot } from '@/lib/client/page-data';
import { paths } from '@/lib/client/paths';
import { type Session, shortId } from '@/lib/domain/model';
import { rowName } from '@/lib/domain/source';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import { boardSentence, factsSentence } from '@/lib/i18n/sentences';
import { createLister } from '@/lib/view/board/list';
import { type AddressQuery, roomParameters } from '@/lib/view/board/parameters';
import { rowsOf } from '@/lib/view/board-rows';
import { searchRows, sessionsInstead } from '@/lib/view/search/find';
import { makeAhead } from '@/lib/view/search/search-index';
import { useBoardQuery } from './state';
import { Table } from './table';
import { Toolbar } from './toolbar';
import { UnseenKeys } from './unseen-keys';

/** `asked`: the query that the server rendered it for. */
export function Board({ asked }: { asked: AddressQuery }) {
  const m = useMessages();
  usePageTitle(m.board.title);
  // Rendered between two keys, and as a whole: sentence, filters and list.
  const snapshot = useDeferredValue(useSnapshot());
  const [query, change] = useBoardQuery(asked);
  const { locks, semaphores, sessions, findings } = snapshot;
  const rows = useMemo(() => rowsOf({ locks, semaphores, findings }), [locks, semaphores, findings]);
  // The header's search looks through the sessions, too.
  useEffect(() => makeAhead([...rows.map(({ of }) => of), ...sessions]), [rows, sessions]);
  // Input shows at once; the list follows.
  const listed = useDeferredValue(query);
  const { closed, ...order } = listed;
  const { q } = order;
  const hits = useMemo(() => searchRows(q, rows), [q, rows]);
  const [listOf] = useState(createLister);
  const {
    rows: ordered,
    counts,
    options,
  } = useMemo(() => listOf(rows, listed, hits), [listOf, rows, listed, hits]);
  const part = useDeferredValue(useAhead());
  const ahead = part?.board ?? null;
  // The first rows belong to one query. Any other is unknown before the world is here.
  const unknown = ahead !== null && JSON.stringify(ahead.query) !== JSON.stringify(listed);
  // The arrival of the rest of the world is no change to hold back.
  const steady = useSteadyRows(ordered, JSON.stringify([order, ahead === null]));
  const [more, setMore] = useState(false);
  const onToggle = useCallback(
    (group: string) => change({ closed: toggled(query.closed, group) }),
    [change, query.closed],
  );
  const sentence = ahead === null ? boardSentence(snapshot, m) : factsSentence(ahead.facts, m);
  const sight = useSight();
  const summary = (
    <>
      {sentence.state} <span className="text-ink-dim">{sentence.counts}</span>
    </>
  );
  return (
    <>
      <div className="flex flex-col md:block">
        <div className="gap-x-8 gap-y-3 px-6 pt-6 pb-4 max-md:contents md:flex md:flex-col lg:flex-row lg:flex-wrap lg:items-start lg:justify-between">
          <h1 className="sr-only">{m.board.title}</h1>
          <Statement>
            <AsOf />
            {sight === null ? summary : <Unseen sight={sight} state={sentence.state} snapshot={snapshot} />}
          </Statement>
          <span
            className={clsx(
              'flex items-center gap-2 max-md:order-4 max-md:px-4 max-md:pb-2',
              more ? '' : 'max-md:hidden',
            )}
          >
            <ShareButton
              view="board"
              name={query.prefix}
              {...(query.source === null ? {} : { source: query.source })}
            />
            <Views />
            <FreezeButton />
            <PastButton />
          </span>
        </div>
        <Toolbar
          query={query}
          change={change}
          counts={unknown ? null : (ahead?.counts ?? counts)}
          options={ahead?.options ?? options}
          more={more}
          onMore={setMore}
        />
      </div>
      {ahead !== null || hits === null ? null : <UnseenKeys q={q} rows={rows} />}
      <div className="border-line border-t">
        {unknown || (ahead !== null && ahead.matching > 0 && steady.rows.length === 0) ? (
          <Empty title={m.shell.loading} />
        ) : steady.rows.length === 0 ? (
          <Nothing
            any={(ahead?.rows ?? rows.length) > 0}
            q={q}
            sessions={snapshot.sessions}
            sessionsAhead={ahead?.sessions ?? null}
            sight={sight}
          />
        ) : (
          <Sought text={q}>
            <Table
              steady={steady}
              grouped={listed.group}
              groups={ahead?.groups}
              closed={closed}
              onToggle={onToggle}
              whole={ahead === null}
            />
          </Sought>
        )}
      </div>
      {unknown ? null : (
        <p className="px-4 py-4 text-[12px] text-ink-dim sm:px-6">
          {ahead === null
            ? `${m.board.shown(ordered.length, rows.length)}.`
            : part?.large == null
              ? m.board.first(ordered.length, ahead.matching)
              : ordered.length < ahead.matching
                ? m.board.firstOfLarge(ordered.length, ahead.matching)
                : `${m.board.shown(ordered.length, ahead.rows)}.`}
          {ordered.some((row) => row.waiting === null) ? ` ${m.board.notVisibleNote}` : ''}
          {listed.show === 'waiting' && rows.some((row) => row.moreMayWait) ? ` ${m.board.waitingPart}` : ''}
          {part?.large != null && ahead !== null && ordered.length < ahead.matching ? (
            <More here={ordered.length} />
          ) : null}
        </p>
      )}
      <ChangesButton changes={steady.changes} onApply={steady.applyNow} />
    </>
  );
}

/** Five times as many rows, up to a bound. */
function More({ here }: { here: number }) {
  const { board } = useMessages();
  const [{ rows }, change] = useAddress(roomParameters);
  const next = roomParameters.rows.read(String(rows * 5));
  if (next === rows || here < rows) return null;
  return (
    <Button className="ml-3" onClick={() => change({ rows: next })}>
      {board.showMore}
    </Button>
  );
}

/** Few need these words, so they load on demand. */
function Unseen({ sight, state, snapshot }: { sight: UnprovenAbsence; state: string; snapshot: Snapshot }) {
  const { sight: words } = useMessages();
  const { locks, semaphores, sessions } = snapshot;
  if (sight === 'nothing') return words.nothing;
  return (
    <>
      {state}{' '}
      <span className="text-ink-dim">
        {sight === 'no-key'
          ? words.sessionsAlone(sessions.length)
          : words.counts(locks.length, semaphores.length, sight === 'hidden-sessions')}
      </span>
    </>
  );
}

/** No lock is in view, and there may be some. The command would not show unreadable ones. */
function NoLock() {
  const { board, sight, joint } = useMessages();
  return <Empty title={board.empty.none} text={[sight.left, sight.noLock].join(joint)} />;
}

function toggled(closed: readonly string[], group: string): readonly string[] | null {
  const next = closed.includes(group) ? closed.filter((name) => name !== group) : [...closed, group];
  return next.length === 0 ? null : next;
}

interface NothingProps {
  readonly any: boolean;
  readonly q: string;
  readonly sessions: readonly Session[];
  /** Matching sessions, of which `sessions` are only the first. */
  readonly sessionsAhead: number | null;
  readonly sight: UnprovenAbsence;
}

/** Nothing is there, nothing matches, or nothing could be read. */
function Nothing({ any, q, sessions, sessionsAhead, sight }: NothingProps) {
  const { board, shell } = useMessages();
  const freshness = useFreshness();
  // A source that was never read may hold anything.
  const isUnread = useSources().some((source) => !wasRead(source));
  const hits = useMemo(() => sessionsInstead(q, sessions), [q, sessions]);
  if (hits.length > 0)
    return <SessionsInstead found={hits.map(({ of }) => of)} all={sessionsAhead ?? hits.length} q={q} />;
  if (any) return <Empty title={board.empty.filtered} text={board.empty.filteredText} />;
  if (freshness === 'catching-up') return <Empty title={shell.loading} />;
  if (isOld(freshness)) return <EmptyOld none={board.empty.none} />;
  if (isUnread) return <Empty title={shell.banner.unread} text={shell.banner.unreadText} />;
  if (sight !== null) return <NoLock />;
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

/** Sessions named before the rest is only linked. */
const namedMax = 5;

interface SessionsInsteadProps {
  readonly found: readonly Session[];
  /** All matches; `found` may be the first of them. */
  readonly all: number;
  readonly q: string;
}

/** No lock matches, but a session does. */
export function SessionsInstead({ found, all, q }: SessionsInsteadProps) {
  const { desk, board } = useMessages();
  return (
    <Empty title={desk.search.noRow(all)}>
      <ul className="flex flex-col gap-1.5">
        {found.slice(0, namedMax).map(({ source, id, name, node }) => (
          <li key={rowName(source, id)} className="flex flex-wrap items-baseline gap-x-2">
            <Link
              href={paths.session(id, source)}
              className="text-brass-strong underline decoration-line-strong underline-offset-3 hover:decoration-brass"
            >
              {name === '' ? board.unnamedSession : name}
            </Link>
            <span className="font-mono text-[12px] text-ink-dim" title={id}>
              {shortId(id)}
            </span>
            <span className="text-[13px] text-ink-dim">{node}</span>
          </li>
        ))}
      </ul>
      {all > namedMax ? (
        <Link href={paths.sessions(q)} className="text-brass-strong underline underline-offset-3">
          {desk.search.allSessions(all)}
        </Link>
      ) : null}
    </Empty>
  );
}
