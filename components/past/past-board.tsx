'use client';
/**
 * The board at one past instant, from the history. Its own rows have no actions, and only the facts that the history
 * knows.
 */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useAddress } from '@/components/dom/address';
import { isTyping, useSingleKey } from '@/components/dom/keys';
import { useAllMessages, usePageTitle } from '@/components/dom/locale';
import { StoppedClock, useZone } from '@/components/live/clock';
import { useFreeze } from '@/components/live/frozen';
import { useSources, useSourceTitle } from '@/components/live/sources';
import { Empty } from '@/components/ui/empty';
import { call } from '@/lib/client/call';
import { paths } from '@/lib/client/paths';
import { useAnswers } from '@/lib/client/rights';
import { serverClock } from '@/lib/client/server-clock';
import type { PastAnswer, PastChange } from '@/lib/domain/history/past';
import { formatAge, formatInstant, formatWhen } from '@/lib/i18n/format/format';
import { pastRowsOf } from '@/lib/view/history/past-rows';
import { nameParameter, textParameter } from '@/lib/view/url-parameter';
import { PastBand } from './past-band';
import { PastTable } from './past-table';

/** The most that the server gives. */
const limit = '5000';
/** More than a person reads. */
const shownMax = 300;
const parameters = { q: textParameter, prefix: textParameter, source: nameParameter };

async function read(
  atMs: number,
  { prefix, source }: { readonly prefix: string; readonly source: string | null },
  signal: AbortSignal,
) {
  const query = { time: String(atMs), subject: `prefix:${prefix}`, source: source ?? '', limit };
  const { response, answer } = await call(paths.api.historyAt(query), { method: 'GET', signal });
  if (!response.ok) throw new Error(`history answered ${response.status}`);
  // The age of an instant does not tick.
  return { past: answer as PastAnswer, readMs: serverClock.now() };
}

/** Escape works wherever nothing else wants it. */
function useEscape(act: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isTyping(event.target)) return;
      if (document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null) return;
      act();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  });
}

export function PastBoard({ atMs }: { atMs: number }) {
  const m = useAllMessages();
  const { past: words } = m.history;
  const { go } = useFreeze();
  const zone = useZone();
  const [{ q, prefix, source }] = useAddress(parameters);
  const isTime = Number.isFinite(atMs);
  const isFuture = isTime && atMs > serverClock.now();
  const { data, isError, refetch } = useQuery(
    {
      queryKey: ['past', atMs, prefix, source],
      queryFn: ({ signal }) => read(atMs, { prefix, source }, signal),
      enabled: isTime && !isFuture,
      retry: false,
      staleTime: 10_000,
    },
    useAnswers(),
  );
  const title = isTime ? words.title(formatInstant(atMs, zone)) : words.noTime;
  usePageTitle(title);
  const step = (ms: number) => {
    if (isTime) go(Math.min(atMs + ms, Math.floor(serverClock.now() / 1_000) * 1_000));
  };
  const { previous, next } = data?.past ?? {};
  const stepTo = (change: PastChange | undefined) => {
    if (change !== undefined && change.atMs !== null) go(change.atMs);
  };
  useEscape(() => go(null));
  useSingleKey('p', () => stepTo(previous));
  useSingleKey('n', () => stepTo(next));
  useSingleKey(',', () => step(-10_000));
  useSingleKey('.', () => step(10_000));
  useSingleKey('<', () => step(-60_000));
  useSingleKey('>', () => step(60_000));
  const readMs = data?.readMs ?? null;
  return (
    <StoppedClock atMs={isTime ? atMs : 0}>
      <h1 className="sr-only">{title}</h1>
      <PastBand
        atMs={isTime ? atMs : null}
        title={isTime ? words.title(formatWhen(atMs, readMs ?? atMs, zone)) : words.noTime}
        age={readMs === null ? null : words.age(formatAge(atMs, readMs, m.units))}
        onGo={go}
        onStep={step}
        previous={previous}
        next={next}
        searched={q.trim() !== ''}
      />
      {!isTime ? (
        <Empty title={words.noTime} text={words.noTimeText} />
      ) : isFuture ? (
        <Empty title={words.future} text={words.noTimeText} />
      ) : isError ? (
        <Empty title={m.history.failed}>
          <button type="button" className="text-brass-strong underline" onClick={() => void refetch()}>
            {m.history.again}
          </button>
        </Empty>
      ) : data === undefined ? (
        <Empty title={words.reading} />
      ) : (
        <Shown past={data.past} q={q} />
      )}
    </StoppedClock>
  );
}

function Shown({ past, q }: { past: PastAnswer; q: string }) {
  const m = useAllMessages();
  const { history } = m;
  const { past: words } = history;
  const zone = useZone();
  const titleOf = useSourceTitle();
  const live = useSources();
  const rows = pastRowsOf(past, q);
  const unseen = past.sources.filter(({ state }) => state === 'unseen');
  const nameOf = (id: string) => titleOf(id) ?? live[0]?.title ?? id;
  if (past.off && past.keptSinceMs === null) return <Empty title={history.off} />;
  const keptSince =
    past.keptSinceMs === null ? [] : [history.keptSince(formatInstant(past.keptSinceMs, zone))];
  if (unseen.length === past.sources.length && unseen.every(({ why }) => why === 'not-kept'))
    return <Empty title={words.notKept} text={keptSince.join('')} />;
  return (
    <>
      {unseen.length === 0 ? null : (
        <ul className="border-line border-b bg-[repeating-linear-gradient(45deg,var(--color-line-strong)_0_2px,transparent_2px_8px)] px-4 py-3 text-[13px] text-ink sm:px-6">
          {unseen.map(({ id, why }) => (
            <li key={id}>
              <span className="bg-room px-1">{words.unseen[why ?? 'not-kept'](nameOf(id))}</span>
            </li>
          ))}
        </ul>
      )}
      {rows.length > 0 ? (
        <PastTable rows={rows.slice(0, shownMax)} atMs={past.at} />
      ) : unseen.length === past.sources.length ? null : (
        <Empty title={q.trim() === '' ? words.nothing : words.noMatch} />
      )}
      <p role="status" className="px-4 py-4 text-[12px] text-ink-dim sm:px-6">
        {[
          words.shown(Math.min(rows.length, shownMax), rows.length),
          words.free,
          ...(past.counted.length === 0 ? [] : [words.counted(past.counted.length)]),
          ...(past.more ? [words.cut] : []),
          ...keptSince,
        ].join(m.joint)}
      </p>
    </>
  );
}
