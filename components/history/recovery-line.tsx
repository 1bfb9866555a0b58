'use client';
/** The outcome of an action, for all viewers of its subject, for a day or until this browser dismisses it. */
import { useSyncExternalStore } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { storedText } from '@/components/dom/stored';
import { useZone } from '@/components/live/clock';
import { Button } from '@/components/ui/button';
import type { HistoryAnswer } from '@/lib/domain/history/answer';
import { formatDuration, formatWhen } from '@/lib/i18n/format/format';
import type { AllMessages } from '@/lib/i18n/messages';
import { type Recovery, recoveryOf } from '@/lib/view/history/recovery';
import { byWhom } from './deed-text';

const stored = storedText('recovery');
/** The line reports "stable" after this time. */
const stableMs = 60_000;
/** Older ones are no news by the time that there are more. */
const dismissedMax = 20;
const none = () => null;

export function RecoveryLine({ history: read, nowMs }: { history: HistoryAnswer; nowMs: number }) {
  const m = useAllMessages();
  const zone = useZone();
  const dismissed = (useSyncExternalStore(stored.subscribe, stored.read, none) ?? '').split(' ');
  const recovery = recoveryOf(read, nowMs);
  if (recovery === null || dismissed.includes(recovery.id)) return null;
  const { id, removed, deed, stableSinceMs } = recovery;
  const stable = stableSinceMs === null ? 0 : nowMs - stableSinceMs;
  const words = m.history.recovery;
  const took = tookText(recovery, m, (atMs) => formatWhen(atMs, nowMs, zone));
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 border-brass border-l-2 pl-3 text-[13px]">
      <span className="min-w-0 break-words">
        {words.removed(removed, formatWhen(deed.atMs, nowMs, zone), byWhom(deed, m), took)}
        {stable < stableMs ? null : words.stable(formatDuration(stable, m.units))}
      </span>
      <Button
        tone="quiet"
        title={words.dismissHelp}
        className="h-7 px-2 text-[12px] max-md:h-11 print:hidden"
        onClick={() => stored.write([...dismissed, id].slice(-dismissedMax).join(' ').trim())}
      >
        {words.dismiss}
      </Button>
    </p>
  );
}

/** Who holds since. Time that nobody watched proves neither that nobody came nor who came first. */
function tookText(
  { counted, next, unseenFromMs, afterMs }: Recovery,
  { history, units }: AllMessages,
  when: (atMs: number) => string,
): string {
  const words = history.recovery;
  if (counted) return words.counted;
  if (unseenFromMs !== null) return next === null ? words.nobodyBy(when(unseenFromMs)) : words.nextSeen(next);
  if (next === null) return words.nobody;
  return afterMs === null ? words.taken(next) : words.takenAfter(next, formatDuration(afterMs, units));
}
