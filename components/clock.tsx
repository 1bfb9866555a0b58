'use client';
/**
 * One clock for the whole page: every age ticks in the same moment, once a second. The server renders with the
 * instant and the time zone that it passes down, and the first render in the browser repeats exactly those, so
 * that hydration finds the same text; right after that the browser's own clock and zone take over.
 */
import { createContext, use, useSyncExternalStore } from 'react';
import { formatTime, formatWhen } from '@/lib/words/format';

interface First {
  readonly nowMs: number;
  readonly zone: string;
}

const FirstContext = createContext<First>({ nowMs: 0, zone: 'UTC' });

/** What the first paint uses: the server's clock and zone at the time of rendering. */
export function ClockProvider({ first, children }: { first: First; children: React.ReactNode }) {
  return <FirstContext value={first}>{children}</FirstContext>;
}

const never = () => () => {};
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;
let secondMs = 0;

function tick() {
  secondMs = Math.floor(Date.now() / 1000) * 1000;
  for (const listener of listeners) listener();
  timer = listeners.size > 0 ? setTimeout(tick, 1000 - (Date.now() % 1000)) : undefined;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) timer = setTimeout(tick, 1000 - (Date.now() % 1000));
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer !== undefined) {
      clearTimeout(timer);
      timer = undefined;
    }
  };
}

function currentSecond(): number {
  // With nobody subscribed the stored second is old; a snapshot may only change between renders by a tick.
  if (timer === undefined || secondMs === 0) secondMs = Math.floor(Date.now() / 1000) * 1000;
  return secondMs;
}

const StoppedContext = createContext<number | null>(null);

/** Everything below keeps the time at which it was stopped: a frozen page whose ages went on would be neither then nor now. */
export function StoppedClock({ atMs, children }: { atMs: number | null; children: React.ReactNode }) {
  return <StoppedContext value={atMs}>{children}</StoppedContext>;
}

/** The server's clock at the first paint. */
export function useFirstNow(): number {
  return use(FirstContext).nowMs;
}

/** Now, in epoch milliseconds, to the second. Renders the component once a second: keep it in a leaf. */
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

let zoneKnown: string | null = null;

/** Asking Intl for the zone costs far too much to do it for every time on a page; it does not change while one is open. */
function ownZone(): string {
  zoneKnown ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zoneKnown;
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
