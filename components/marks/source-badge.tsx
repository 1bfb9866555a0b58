'use client';
import { clsx } from 'clsx';
import { useMessages } from '@/components/dom/locale';
import { Time } from '@/components/live/clock';
import { lastGoodMs, useFreshness } from '@/components/live/freshness';
import { useSources } from '@/components/live/sources';
import { isOld } from '@/lib/client/freshness';
import { useConnection } from '@/lib/client/shown';
import type { SourceId } from '@/lib/domain/source';
import type { SourceState } from '@/lib/domain/source-state';

/** The title of a row's source, and how old its rows are; nothing where there is only one source. */
export function SourceBadge({ source, className }: { source: SourceId; className?: string }) {
  const sources = useSources();
  const part = sources.find(({ id }) => id === source);
  if (sources.length === 0) return null;
  return (
    <span
      data-source={source}
      className={clsx(
        'shrink-0 whitespace-nowrap rounded-[4px] border border-line px-1.5 text-[11px] text-ink-soft leading-4',
        className,
      )}
    >
      {part?.title ?? source}
      {part === undefined ? null : <Age part={part} />}
    </span>
  );
}

function Age({ part }: { part: SourceState }) {
  const { asOf } = useMessages().shell.sources;
  const connection = useConnection();
  const old = isOld(useFreshness(part.id));
  const atMs = old ? lastGoodMs(connection, part) : null;
  if (atMs === null) return null;
  return (
    <>
      {asOf}
      <Time atMs={atMs} />
    </>
  );
}
