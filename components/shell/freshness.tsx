'use client';
/** How old what is shown is, in words, and what that means. Nothing here is ever silent about old data. */
import { clsx } from 'clsx';
import { Time, useNow } from '@/components/clock';
import { useMessages } from '@/components/locale';
import { formatAge } from '@/lib/client/format';
import { type Connection, useConnection, useSnapshotPart } from '@/lib/client/queries';
import type { Source } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/snapshot';

/** One state out of the two ways in which data can be old: this browser's link, and the server's link to Consul. */
export type Freshness = 'live' | 'connecting' | 'lost' | 'catching-up' | 'stale' | 'down';

/** The link to Signalbox comes first: without it, what the server last said about Consul is old as well. */
export function freshnessOf(connection: Connection['state'], source: Source['state']): Freshness {
  if (connection === 'lost') return 'lost';
  if (source !== 'live') return source;
  return connection === 'connecting' ? 'connecting' : 'live';
}

const selectSource = (snapshot: Snapshot) => snapshot.source;
const selectState = (snapshot: Snapshot) => snapshot.source.state;

/** Freshness alone; renders only when it changes. */
export function useFreshness(): Freshness {
  return freshnessOf(useConnection().state, useSnapshotPart(selectState));
}

/** True when what is shown may no longer be so: it is greyed, and no action starts from it. */
export function isOld(freshness: Freshness): boolean {
  return freshness === 'lost' || freshness === 'stale' || freshness === 'down';
}

const dots: Readonly<Record<Freshness, string>> = {
  live: 'bg-lamp-alive',
  connecting: 'bg-lamp-free',
  'catching-up': 'bg-lamp-overdue',
  stale: 'bg-danger',
  lost: 'bg-danger',
  down: 'bg-danger',
};

/** The words in the header: `live · 12:03:04`. */
export function FreshnessWords() {
  const { shell } = useMessages();
  const freshness = useFreshness();
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap text-[13px] lg:min-w-[11.5rem] text-ink-soft">
      <span className="sr-only">{shell.freshness.label}: </span>
      <span aria-hidden="true" className={clsx('size-2 rounded-full', dots[freshness])} />
      <span className={isOld(freshness) ? 'font-medium text-danger' : undefined}>
        <Words freshness={freshness} />
      </span>
    </span>
  );
}

function Words({ freshness }: { freshness: Freshness }) {
  const { freshness: words } = useMessages().shell;
  const staleSinceMs = useSnapshotPart(selectSource).staleSinceMs;
  switch (freshness) {
    case 'live':
      return <LiveWords />;
    case 'connecting':
      return words.connecting;
    case 'lost':
      return words.lost;
    case 'catching-up':
      return words.catchingUp;
    case 'down':
      return words.down;
    case 'stale':
      return staleSinceMs === null ? (
        words.staleUnknown
      ) : (
        <>
          {words.stale('')}
          <Time atMs={staleSinceMs} />
        </>
      );
  }
}

function LiveWords() {
  const { freshness: words } = useMessages().shell;
  return (
    <>
      {words.live('')}
      <Time atMs={useNow()} />
    </>
  );
}

/** The time of the last good data, epoch milliseconds; `null` when there never was any. Only asked while it is old. */
function lastGoodMs(connection: Connection, source: Source): number | null {
  const consul = source.staleSinceMs ?? source.lastContactMs;
  if (connection.state !== 'lost') return consul;
  // A link that broke while the data was already old makes it no younger.
  const already = source.state === 'live' ? null : consul;
  if (already === null || connection.sinceMs === null) return connection.sinceMs;
  return Math.min(already, connection.sinceMs);
}

/** `As of 12:03:04: ` before a sentence while what it says may no longer be so; nothing otherwise. */
export function AsOf() {
  const { asOf } = useMessages().shell.freshness;
  const connection = useConnection();
  const source = useSnapshotPart(selectSource);
  const atMs = lastGoodMs(connection, source);
  if (!isOld(freshnessOf(connection.state, source.state)) || atMs === null) return null;
  return (
    <>
      {asOf[0]}
      <Time atMs={atMs} />
      {asOf[1]}
    </>
  );
}

/** Says what old data means, and what still works. */
export function FreshnessBanner() {
  const { shell, problems, units } = useMessages();
  const connection = useConnection();
  const source = useSnapshotPart(selectSource);
  const nowMs = useNow();
  const freshness = freshnessOf(connection.state, source.state);
  if (!isOld(freshness)) return null;
  const texts = shell.banner;
  const since = lastGoodMs(connection, source);
  const age = since === null ? null : formatAge(since, nowMs, units);
  const title =
    freshness === 'lost' ? texts.lostTitle : freshness === 'down' ? texts.downTitle : texts.staleTitle;
  const text =
    freshness === 'lost'
      ? texts.lost(age ?? '…')
      : source.lastContactMs === null
        ? texts.emptyDown
        : texts.stale(age);
  // "Consul does not answer" is already the title; its cause would say it again.
  const told = freshness === 'lost' || (freshness === 'down' && source.problem?.code === 'unavailable');
  const cause = told || source.problem === null ? null : problems[source.problem.code].title;
  return (
    <div role="status" className="border-b border-danger/40 bg-danger-wash px-4 py-2 sm:px-6">
      <p className="text-[13px] text-ink">
        <strong className="font-semibold text-danger">{title}</strong>{' '}
        {cause !== null && cause !== title ? `${cause} ` : ''}
        {text} {freshness === 'lost' ? '' : texts.origin(source.origin)}
      </p>
    </div>
  );
}
