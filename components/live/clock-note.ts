'use client';
import { useMessages } from '@/components/dom/locale';
import { useAheadMs } from '@/components/live/clock';
import { formatDuration } from '@/lib/i18n/format/format';

/** Smaller differences are not mentioned: a comparison with a watch does not show them. */
const worthMs = 30_000;

/**
 * The note that this browser's clock differs from the server's, whose times the page shows; `undefined` where
 * they nearly agree.
 */
export function useClockNote(): string | undefined {
  const aheadMs = useAheadMs();
  const m = useMessages();
  const offMs = Math.abs(aheadMs);
  if (offMs < worthMs) return undefined;
  return m.shell.legend.clock(aheadMs > 0, formatDuration(Math.round(offMs / 1000) * 1000, m.units));
}
