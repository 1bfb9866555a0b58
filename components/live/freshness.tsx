'use client';
/** The age of the data in words, and its meaning. Old data is always marked. */
import { clsx } from 'clsx';
import { Fragment, useContext } from 'react';
import { useMessages } from '@/components/dom/locale';
import { Time, useClockNote, useNow } from '@/components/live/clock';
import { useFrozen } from '@/components/live/frozen';
import { type Freshness, freshnessOf, isOld } from '@/lib/client/freshness';
import type { Connection } from '@/lib/client/live-view';
import { FrozenSnapshot, useConnection, useContactMs, useSnapshotPart } from '@/lib/client/page-data';
import { outageOf } from '@/lib/domain/outage';
import type { SourceId } from '@/lib/domain/source';
import type { SourceState } from '@/lib/domain/source-state';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import { useIsOfAll, useSourceState, useSources } from './sources';

/** The freshness of the page's source, or of another one. The freshest counts on a page about several. */
export function useFreshness(of?: SourceId): Freshness {
  return freshnessOf(useConnection().state, useSourceState(of).state);
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
  const sources = useSources();
  // One broken link of this browser is not the state of each source.
  const alone = useConnection().state !== 'live';
  if (sources.length === 0) return <State />;
  return (
    <ul className="flex flex-wrap gap-x-3">
      {sources.map(({ id, title }, i) => (
        // The places of the others stay, so that nothing moves when the link is there.
        <li key={id} aria-hidden={alone && i > 0} className={alone && i > 0 ? 'invisible' : undefined}>
          {alone && i === 0 ? <State /> : <State of={id} title={title} />}
        </li>
      ))}
    </ul>
  );
}

function State({ of, title = null }: { of?: SourceId; title?: string | null }) {
  const { shell } = useMessages();
  const freshness = useFreshness(of);
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap text-[13px] lg:min-w-[11.5rem] text-ink-soft">
      <span className="sr-only">{shell.freshness.label}: </span>
      <span aria-hidden="true" className={clsx('size-2 rounded-full', dots[freshness])} />
      <span className={isOld(freshness) ? 'font-medium text-danger' : undefined}>
        {title === null ? null : <span className="text-ink-soft">{title} </span>}
        <Words freshness={freshness} of={of} />
      </span>
    </span>
  );
}

function Words({ freshness, of }: { freshness: Freshness; of?: SourceId | undefined }) {
  const { shell, outage } = useMessages();
  const { freshness: words } = shell;
  const source = useSourceState(of);
  const { staleSinceMs } = source;
  switch (freshness) {
    case 'live':
      return <LiveWords />;
    case 'connecting':
      return words.connecting;
    case 'lost':
      return outage.outages['console-unreachable'].short;
    case 'catching-up':
      return words.catchingUp;
    case 'down':
      return outage.outages[outageOf(source) ?? 'unknown'].short;
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

const selectContact = (snapshot: Snapshot) => snapshot.source.lastContactMs;

/** A ticking clock would claim that all is well in the seconds after Consul stops. */
function LiveWords() {
  const { freshness: words } = useMessages().shell;
  const nowMs = useNow();
  const note = useClockNote();
  const confirmedMs = Math.max(useContactMs() ?? 0, useSnapshotPart(selectContact) ?? 0);
  return (
    <span title={note ?? words.liveHelp}>
      {words.live('')}
      {confirmedMs === 0 ? null : <Time atMs={Math.min(confirmedMs, nowMs)} />}
    </span>
  );
}

/**
 * The time of the last good data, epoch milliseconds; `null` when there never was any. Only used while nothing
 * is live.
 */
export function lastGoodMs({ state, sinceMs }: Connection, source: SourceState): number | null {
  if (!wasRead(source)) return null;
  const consul = source.staleSinceMs ?? source.lastContactMs;
  if (state === 'live' || sinceMs === null) return consul;
  // A live source's last contact comes only with other news.
  if (source.state === 'live') return sinceMs;
  // A link that broke while the data was already old makes it no younger.
  return consul === null ? null : Math.min(consul, sinceMs);
}

/**
 * `As of 12:03:04: ` before a sentence that may be out of date; nothing otherwise. On a page about several sources it
 * names each that is not live, as the sentence covers that one, too. `brief`: it counts them.
 */
export function AsOf({ brief = false }: { brief?: boolean }) {
  const connection = useConnection();
  const source = useSourceState();
  const sources = useSources();
  const isOfAll = useIsOfAll();
  const moment = useFrozen();
  // The surroundings of a frozen page stay live.
  const takenMs = useContext(FrozenSnapshot) === null ? null : (moment?.takenMs ?? null);
  // A broken link of this browser makes all of them old at once.
  const old =
    isOfAll && connection.state === 'live'
      ? sources.filter((one) => isOld(freshnessOf('live', one.state)) || !wasRead(one))
      : [];
  if (old.length > 0)
    return (
      <>
        {takenMs === null || brief ? null : <At atMs={takenMs} />}
        {brief ? <NotLive n={old.length} /> : <Olds sources={old} connection={connection} />}
      </>
    );
  const goodMs = isOld(freshnessOf(connection.state, source.state))
    ? lastGoodMs(connection, source)
    : takenMs;
  if (goodMs === null) return null;
  // A frozen page shows its own time: data that was old then is older, and a later loss makes it no younger.
  return <At atMs={takenMs === null ? goodMs : Math.min(goodMs, takenMs)} />;
}

function At({ atMs }: { atMs: number }) {
  const { asOf } = useMessages().shell.freshness;
  return (
    <>
      {asOf[0]}
      <Time atMs={atMs} />
      {asOf[1]}
    </>
  );
}

const NotLive = ({ n }: { n: number }) => useMessages().shell.freshness.notLive(n);

function Olds({ sources, connection }: { sources: readonly SourceState[]; connection: Connection }) {
  const words = useMessages().shell.freshness;
  return (
    <>
      {sources.map((one, i) => {
        const atMs = lastGoodMs(connection, one);
        return (
          <Fragment key={one.id}>
            {i === 0 ? null : words.next}
            {atMs === null ? words.unreadOne(one.title) : words.asOfOne(one.title)}
            {atMs === null ? null : <Time atMs={atMs} />}
          </Fragment>
        );
      })}
      {words.asOf[1]}
    </>
  );
}
