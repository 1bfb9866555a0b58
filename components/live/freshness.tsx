'use client';
/** How old what is shown is, in words, and what that means. Nothing here is ever silent about old data. */
import { clsx } from 'clsx';
import { useContext } from 'react';
import { useMessages } from '@/components/dom/locale';
import { Time, useNow } from '@/components/live/clock';
import { useFrozen } from '@/components/live/frozen';
import { type Freshness, freshnessOf, isOld } from '@/lib/client/freshness';
import type { Connection } from '@/lib/client/live-view';
import { FrozenSnapshot, useConnection, useContactMs, useSnapshotPart } from '@/lib/client/shown';
import { outageOf } from '@/lib/domain/outage';
import type { Source } from '@/lib/domain/source';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import { useClockNote } from './clock-note';

const selectSource = (snapshot: Snapshot) => snapshot.source;
const selectState = (snapshot: Snapshot) => snapshot.source.state;

/** Freshness alone; renders only when it changes. */
export function useFreshness(): Freshness {
  return freshnessOf(useConnection().state, useSnapshotPart(selectState));
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
  const { shell, outage } = useMessages();
  const { freshness: words } = shell;
  const source = useSnapshotPart(selectSource);
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

/**
 * The time is that of Consul's last answer, every two seconds or so, and no clock: one that ticks would say of the seconds in
 * which Consul has stopped that all is well.
 */
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

/** The time of the last good data, epoch milliseconds; `null` when there never was any. Only asked while nothing is live. */
export function lastGoodMs({ state, sinceMs }: Connection, source: Source): number | null {
  if (!wasRead(source)) return null;
  const consul = source.staleSinceMs ?? source.lastContactMs;
  if (state === 'live' || sinceMs === null) return consul;
  // The last contact of a live source is told only with other news, and may be of long before the server was last heard.
  if (source.state === 'live') return sinceMs;
  // A link that broke while the data was already old makes it no younger.
  return consul === null ? null : Math.min(consul, sinceMs);
}

/** `As of 12:03:04: ` before a sentence while what it says may no longer be so; nothing otherwise. */
export function AsOf() {
  const { asOf } = useMessages().shell.freshness;
  const connection = useConnection();
  const source = useSnapshotPart(selectSource);
  const moment = useFrozen();
  // What stands around a frozen page goes on.
  const takenMs = useContext(FrozenSnapshot) === null ? null : (moment?.takenMs ?? null);
  const goodMs = isOld(freshnessOf(connection.state, source.state))
    ? lastGoodMs(connection, source)
    : takenMs;
  if (goodMs === null) return null;
  // A frozen page tells the time that it keeps: what was already old then is older, what is lost later no younger.
  const atMs = takenMs === null ? goodMs : Math.min(goodMs, takenMs);
  return (
    <>
      {asOf[0]}
      <Time atMs={atMs} />
      {asOf[1]}
    </>
  );
}
