'use client';
/**
 * One clock for the whole page, once a second. The first render repeats the server's instant and time zone, so that
 * hydration finds the same text.
 */
import { createContext, use, useState, useSyncExternalStore } from 'react';
import { useMessages } from '@/components/dom/locale';
import { serverClock } from '@/lib/client/server-clock';
import { formatDuration, formatTime, formatWhen } from '@/lib/i18n/format/format';

interface First {
  readonly nowMs: number;
  readonly zone: string;
}

const FirstContext = createContext<First>({ nowMs: 0, zone: 'UTC' });

/** The first paint's time proves a different clock only beyond the longest load. */
const loadMaxMs = 10_000;

/** Until the first ping, the page itself is the only source of the server's time. */
function hearPage({ nowMs }: First): void {
  if (typeof window !== 'undefined' && Math.abs(Date.now() - nowMs) > loadMaxMs) serverClock.hear(nowMs);
}

/** The server's clock and zone at the time of rendering, for the first paint. */
export function ClockProvider({ first, children }: { first: First; children: React.ReactNode }) {
  // During render, because components below read the clock before any effect.
  useState(() => hearPage(first));
  return <FirstContext value={first}>{children}</FirstContext>;
}

const never = () => () => {};
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;
let secondMs = 0;

const wholeSecond = () => Math.floor(serverClock.now() / 1000) * 1000;
const nextTick = () => setTimeout(tick, 1000 - (serverClock.now() % 1000));

function tick() {
  secondMs = wholeSecond();
  for (const listener of listeners) listener();
  timer = listeners.size > 0 ? nextTick() : undefined;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= nextTick();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer !== undefined) {
      clearTimeout(timer);
      timer = undefined;
    }
  };
}

function currentSecond(): number {
  // Without subscribers the stored second is old.
  if (timer === undefined || secondMs === 0) secondMs = wholeSecond();
  return secondMs;
}

const StoppedContext = createContext<number | null>(null);

/** A frozen page whose ages continued would show neither then nor now. */
export function StoppedClock({ atMs, children }: { atMs: number | null; children: React.ReactNode }) {
  return <StoppedContext value={atMs}>{children}</StoppedContext>;
}

export function useFirstNow(): number {
  return use(FirstContext).nowMs;
}

/** The time by the server's clock, epoch milliseconds, to the second. Renders once a second: keep it in a leaf. */
export function useNow(): number {
  const { nowMs } = use(FirstContext);
  const stopped = use(StoppedContext);
  const present = useSyncExternalStore(
    stopped === null ? subscribe : never,
    () => stopped ?? currentSecond(),
    () => stopped ?? nowMs,
  );
  return present;
}

/** The known lead of this browser's clock over the server's, in milliseconds; negative: behind. */
export function useAheadMs(): number {
  return useSyncExternalStore(subscribe, serverClock.aheadMs, () => 0);
}

let zoneKnown: string | null = null;

/** Asking Intl for every time on a page costs too much. */
function ownZone(): string {
  zoneKnown ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zoneKnown;
}

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

/** The time zone to write times in: the server's for the first paint, then the browser's own. */
export function useZone(): string {
  const { zone } = use(FirstContext);
  return useSyncExternalStore(never, ownZone, () => zone);
}

/** `12:03:04`, with the date when it is far away. */
export function When({ atMs }: { atMs: number }) {
  const zone = useZone();
  return <time dateTime={new Date(atMs).toISOString()}>{formatWhen(atMs, useNow(), zone)}</time>;
}

/** `12:03:04`, always without a date: for something that has just happened. */
export function Time({ atMs }: { atMs: number }) {
  const zone = useZone();
  return <time dateTime={new Date(atMs).toISOString()}>{formatTime(atMs, zone)}</time>;
}
