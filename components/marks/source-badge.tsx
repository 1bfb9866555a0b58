'use client';
import { clsx } from 'clsx';
import { useMessages } from '@/components/dom/locale';
import { Time } from '@/components/live/clock';
import { useShownSource } from '@/components/live/sources';
import type { SourceId } from '@/lib/domain/source';

/** The title of a row's source, and the age of its rows; nothing for the only source. */
export function SourceBadge({ source, className }: { source: SourceId; className?: string }) {
  const shown = useShownSource(source);
  if (shown === null) return null;
  return (
    <span
      data-source={source}
      className={clsx(
        'shrink-0 whitespace-nowrap rounded-[4px] border border-line px-1.5 text-[11px] text-ink-soft leading-4',
        className,
      )}
    >
      {shown.title}
      {shown.goodMs === null ? null : <AsOf atMs={shown.goodMs} />}
    </span>
  );
}

function AsOf({ atMs }: { atMs: number }) {
  const { asOf } = useMessages().shell.sources;
  return (
    <>
      {asOf}
      <Time atMs={atMs} />
    </>
  );
}
