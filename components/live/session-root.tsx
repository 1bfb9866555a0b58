'use client';
/**
 * Tracks whether this page's person is still signed in. Hints come from the window; `lib/client/session-watch.ts`
 * evaluates them.
 */
import { createContext, use, useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { refusedEvent, speakFor } from '@/lib/client/call';
import { serverClock } from '@/lib/client/server-clock';
import { askSession, touchSession } from '@/lib/client/session';
import { type SessionState, type SessionWatch, watchSession } from '@/lib/client/session-watch';
import { isProblem } from '@/lib/domain/problem';
import type { Visitor } from '@/lib/domain/visitor';

/** Activity is reported at most this often. */
const touchMs = 60_000;
const channelName = 'signalbox.session';

/** An anonymous visitor without access control, for components outside a page, as in tests. */
const anonymousVisitor: Visitor = {
  identity: { kind: 'anonymous' },
  accessControl: 'off',
  maySee: true,
  why: null,
  writes: { allowed: true },
  endsAtMs: null,
  idleEndsAtMs: null,
  tokenEndsAtMs: null,
};

export const SessionContext = createContext<SessionState>({ at: 'in', session: anonymousVisitor });
const WatchContext = createContext<SessionWatch | null>(null);

/** Signed in (or allowed to look anonymously), or no longer. */
export function useSessionState(): SessionState {
  return use(SessionContext);
}

/** Reports a sign-in on this page; `null` outside a page. */
export function useSessionWatch(): SessionWatch | null {
  return use(WatchContext);
}

/** Makes the other tabs of this browser check the sign-in. They ask the server themselves. */
export function tellOtherTabs(): void {
  if (typeof BroadcastChannel === 'undefined') return;
  const channel = new BroadcastChannel(channelName);
  channel.postMessage('look');
  channel.close();
}

/** Hints that the sign-in may be over. Returns the function that stops the listening. */
function listen(look: () => void): () => void {
  const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(channelName);
  // Timers do not run during a sleep or in the back-forward cache.
  const onVisibility = () => {
    if (document.visibilityState === 'visible') look();
  };
  const onShow = (event: PageTransitionEvent) => {
    if (event.persisted) look();
  };
  if (channel !== null) channel.onmessage = look;
  window.addEventListener(refusedEvent, look);
  window.addEventListener('pageshow', onShow);
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    channel?.close();
    window.removeEventListener(refusedEvent, look);
    window.removeEventListener('pageshow', onShow);
    document.removeEventListener('visibilitychange', onVisibility);
  };
}

/** Keeps a sign-in awake while its person is active. */
function keepAwake(watch: SessionWatch): () => void {
  let touchedMs = Number.NEGATIVE_INFINITY;
  const gone = new AbortController();
  const touch = () => {
    const state = watch.state();
    if (state.at === 'out' || state.session.idleEndsAtMs === null) return;
    if (performance.now() - touchedMs < touchMs) return;
    touchedMs = performance.now();
    touchSession(gone.signal).then(
      (answer) => {
        // Over since it was sent: the answer is out of date.
        if (!isProblem(answer) && watch.state().at === 'in') watch.told(answer);
      },
      () => {},
    );
  };
  const how = { capture: true, passive: true, signal: gone.signal };
  document.addEventListener('keydown', touch, how);
  document.addEventListener('pointerdown', touch, how);
  return () => gone.abort();
}

/** `initial`: the server's answer when it made the page. */
export function SessionRoot({ initial, children }: { initial: Visitor; children: React.ReactNode }) {
  const [first] = useState(() => ({ at: 'in', session: initial }) as const);
  const [watch] = useState(() =>
    watchSession({ initial, ask: () => askSession(AbortSignal.timeout(8_000)), now: serverClock.now }),
  );
  const state = useSyncExternalStore(watch.subscribe, watch.state, () => first);
  // This comes before any effect below calls the server.
  useLayoutEffect(() => speakFor(first.session.identity), [first]);
  useEffect(() => {
    watch.start();
    const ends = [listen(watch.look), keepAwake(watch), watch.stop];
    return () => {
      for (const end of ends) end();
    };
  }, [watch]);
  useEffect(() => {
    // The server rendered again, for the cookie's present person.
    if (initial !== first.session) watch.told(initial);
  }, [watch, first, initial]);
  return (
    <WatchContext value={watch}>
      <SessionContext value={state}>{children}</SessionContext>
    </WatchContext>
  );
}
