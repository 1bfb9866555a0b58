'use client';
/**
 * Explains why the screen cannot be trusted: the cause, its meaning for the locks, and the next step. It covers the
 * foot of the page, which reserves that room and scrolls the focused element out from under it.
 */
import { clsx } from 'clsx';
import { useLayoutEffect, useRef, useState } from 'react';
import { useMessages } from '@/components/dom/locale';
import { useNow, useZone } from '@/components/live/clock';
import { lastGoodMs } from '@/components/live/freshness';
import { useSourceTitle } from '@/components/live/sources';
import { Icon } from '@/components/ui/icon';
import { type Freshness, freshnessOf, isOld } from '@/lib/client/freshness';
import { useConnection, useSnapshotPart } from '@/lib/client/page-data';
import { type OutageCode, outageOf } from '@/lib/domain/outage';
import { freshestOf, partsOf, type SourceState } from '@/lib/domain/source-state';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import { formatAge, formatWhen } from '@/lib/i18n/format/format';

const selectSource = (snapshot: Snapshot) => snapshot.source;

/** The first source that has an outage, else the freshest. */
const troubled = (state: SourceState): SourceState =>
  partsOf(state).find((part) => outageOf(part) !== null) ?? freshestOf(state);

/** The outage to show, or `null`. A first read that fails is an outage, too. */
function outageShown(freshness: Freshness, source: SourceState): OutageCode | null {
  if (freshness === 'lost') return 'console-unreachable';
  if (!isOld(freshness) && source.problem === null) return null;
  return outageOf(source);
}

/** Room for the banner below the end of the page and below scroll targets; undone with the banner. */
function useRoom(shown: boolean) {
  const banner = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = banner.current;
    if (!shown || box === null) return;
    const root = document.documentElement;
    const reserve = () => {
      const height = `${box.offsetHeight}px`;
      // A little more, so that the focus ring is not cut off.
      root.style.scrollPaddingBottom = `${box.offsetHeight + 8}px`;
      document.body.style.paddingBottom = height;
    };
    reserve();
    const resized = new ResizeObserver(reserve);
    resized.observe(box);
    const focused = document.activeElement;
    if (focused !== null && !box.contains(focused)) {
      const { bottom, top } = focused.getBoundingClientRect();
      const edge = box.getBoundingClientRect().top;
      if (bottom > edge && top < window.innerHeight) focused.scrollIntoView({ block: 'nearest' });
    }
    return () => {
      resized.disconnect();
      root.style.scrollPaddingBottom = '';
      document.body.style.paddingBottom = '';
    };
  }, [shown]);
  return banner;
}

export function OutageBanner() {
  const connection = useConnection();
  const whole = useSnapshotPart(selectSource);
  const source = troubled(whole);
  const others = partsOf(whole).filter((part) => part !== source);
  const title = useSourceTitle()(source.id);
  const freshness = freshnessOf(connection.state, source.state);
  const code = outageShown(freshness, source);
  const banner = useRoom(code !== null);
  const { outage } = useMessages();
  const text = code === null ? null : outage.outages[code];
  const [open, setOpen] = useState(false);
  if (text === null) return <Restored sources={[source, ...others]} />;
  return (
    <div
      ref={banner}
      data-outage={code}
      className="fixed inset-x-0 bottom-0 z-30 border-danger/60 border-t-2 bg-panel shadow-2xl"
    >
      <div className="max-h-[45dvh] overflow-y-auto bg-danger-wash px-4 py-2.5 max-md:pb-0 sm:px-6">
        <p role="status" className="text-[13px] text-ink">
          <strong className="font-semibold text-danger">
            {title === null || freshness === 'lost' ? null : `${title} · `}
            {text.title}
          </strong>
        </p>
        {/* The rows need the room on a phone. */}
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="inline-flex items-center gap-1.5 text-[13px] text-ink-soft md:hidden"
        >
          {outage.more}
          <Icon name="open" size={13} className={open ? undefined : 'rotate-180'} />
        </button>
        <div
          className={clsx(
            'mt-1 grid max-w-[120ch] gap-x-8 gap-y-1 text-[13px] text-ink max-md:pb-2.5 md:grid-cols-2',
            open ? '' : 'max-md:hidden',
          )}
        >
          <p>
            {text.means}
            {outage.gap}
            <Shown source={source} />
            {freshness === 'lost' ? null : <Also sources={others} />}
          </p>
          <p>
            {text.next}
            {outage.gap}
            {freshness === 'lost' ? null : outage.origin(source.origin)}
          </p>
        </div>
      </div>
    </div>
  );
}

/** Long enough for those on duty to check the holders. */
const restoredForMs = 15 * 60_000;

/** Further sources that are not live, each in a few words. */
function Also({ sources }: { sources: readonly SourceState[] }) {
  const { outage } = useMessages();
  const named = sources.flatMap((part) => {
    const code = outageOf(part);
    return code === null ? [] : [`${part.title} (${outage.outages[code].short})`];
  });
  return named.length === 0 ? null : `${outage.gap}${outage.also(named)}`;
}

/** The last of them that was put back. */
function Restored({ sources }: { sources: readonly SourceState[] }) {
  const atMs = Math.max(...sources.map(({ restoredAtMs }) => restoredAtMs ?? 0));
  const source = sources.find(({ restoredAtMs }) => restoredAtMs === atMs);
  return source === undefined ? null : <RestoredSince key={atMs} source={source} atMs={atMs} />;
}

function RestoredSince({ source, atMs }: { source: SourceState; atMs: number }) {
  const { outage } = useMessages();
  const title = useSourceTitle()(source.id);
  const nowMs = useNow();
  const zone = useZone();
  const isShown = nowMs - atMs < restoredForMs;
  const banner = useRoom(isShown);
  if (!isShown) return null;
  return (
    <div
      ref={banner}
      data-restored=""
      className="fixed inset-x-0 bottom-0 z-30 border-line border-t-2 bg-panel shadow-2xl"
    >
      <p role="status" className="bg-brass-wash px-4 py-2.5 text-[13px] text-ink sm:px-6">
        {title === null ? null : `${title} · `}
        {outage.restored(formatWhen(atMs, nowMs, zone))}
      </p>
    </div>
  );
}

/**
 * The age of the view. It ticks outside the live region, so that a screen reader does not speak every second.
 */
function Shown({ source }: { source: SourceState }) {
  const title = useSourceTitle()(source.id);
  const { outage, units } = useMessages();
  const connection = useConnection();
  const nowMs = useNow();
  if (!wasRead(source)) return title === null ? outage.nothingShown : outage.partUnread(title);
  const since = lastGoodMs(connection, source);
  const age = since === null ? null : formatAge(since, nowMs, units);
  // One source among several turns off no actions on others; a lost link of this browser does.
  return title === null || connection.state === 'lost' ? outage.shown(age) : outage.partShown(title, age);
}
