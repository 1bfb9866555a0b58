'use client';
/**
 * An open page's own sight of its subject before it went: until when, its holder, and the lock-delay. For a lock
 * without an action nothing else records this.
 *
 * A subject that goes while the view is live was there until the server's time of that change. Otherwise only the last
 * sight is known. A view in which nothing was read proves no loss.
 */
import { useContext, useMemo, useSyncExternalStore } from 'react';
import { lastGoodMs } from '@/components/live/freshness';
import { stateOf } from '@/components/live/sources';
import type { LiveView } from '@/lib/client/live-view';
import { FrozenSnapshot, useLiveView } from '@/lib/client/page-data';
import { serverClock } from '@/lib/client/server-clock';
import type { Lock, LockDelay, Subject } from '@/lib/domain/model';
import { isOf } from '@/lib/domain/subject';
import { same } from '@/lib/domain/world/change';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';

/**
 * The end by the server's clock, epoch milliseconds. `wasSeen`: the change itself was seen; otherwise it came later.
 */
interface End {
  readonly atMs: number;
  readonly wasSeen: boolean;
}

export interface LastSeen extends End {
  /** The last holder by its label; `end`: `null` when it held to the last. */
  readonly holder: { readonly label: string; readonly end: End | null } | null;
  /** The last one that began without another holder after it. */
  readonly delay: SeenDelay | null;
}

export interface SeenDelay {
  readonly delay: LockDelay;
  readonly layout: Lock['layout'];
}

/**
 * The holder's label; '' without one, or for subjects without a single holder; `null` where the subject is not
 * there.
 */
function holderIn({ locks, semaphores, sessions }: Snapshot, of: Subject) {
  if (of.kind === 'semaphore') return semaphores.some(isOf(of)) ? '' : null;
  if (of.kind === 'session') return sessions.some(isOf(of)) ? '' : null;
  const lock = locks.find(isOf(of));
  // A deleted key's name is in view while its lock-delay runs.
  return lock === undefined || !lock.exists ? null : (lock.holder?.label ?? '');
}

/** A merely possible delay is not kept. */
function delayAfter({ state, delay, layout }: Lock, last: SeenDelay | null): SeenDelay | null {
  if (delay !== null && delay.basis !== 'possible') return { delay, layout };
  return state === 'free' ? last : null;
}

interface LastSeenOptions {
  readonly view: LiveView;
  readonly of: Subject;
  readonly now: () => number;
}

/**
 * A store for `useSyncExternalStore`: `null` while the subject is there, and when it never was; `getAt`: with that
 * snapshot.
 */
export function createLastSeen({ view, of, now }: LastSeenOptions) {
  let isThere = false;
  let holder: LastSeen['holder'] = null;
  let delay: SeenDelay | null = null;
  let last: LastSeen | null = null;
  let wasLive = false;
  let goodMs = view.snapshot.get().asOfMs;
  /** The last sights of frozen pages, which keep a snapshot. */
  const lastAt = new WeakMap<Snapshot, LastSeen | null>();

  const look = () => {
    const snapshot = view.snapshot.get();
    const connection = view.connection.get();
    const source = stateOf(snapshot.source, of.source);
    if (wasRead(source)) hold(snapshot);
    const isLive = connection.state === 'live' && source.state === 'live';
    if (isLive) goodMs = now();
    else if (wasLive) goodMs = lastGoodMs(connection, source) ?? now();
    wasLive = isLive;
    lastAt.set(snapshot, last);
  };
  const hold = (snapshot: Snapshot) => {
    const end = (): End => ({ atMs: wasLive ? snapshot.asOfMs : goodMs, wasSeen: wasLive });
    const label = holderIn(snapshot, of);
    const row = of.kind === 'lock' ? snapshot.locks.find(isOf(of)) : undefined;
    if (row !== undefined) delay = delayAfter(row, delay);
    if (label === null) {
      if (isThere) last = { ...end(), holder, delay };
      else if (last !== null && !same(last.delay, delay)) last = { ...last, delay };
      holder = null;
    } else {
      if (label !== '') holder = { label, end: null };
      else if (holder?.end === null) holder = { ...holder, end: end() };
      last = null;
    }
    isThere = label !== null;
  };
  /** A page in the back-forward cache hears nothing, for an unknown time. */
  const sleep = () => {
    if (wasLive) goodMs = now();
    wasLive = false;
  };
  look();
  return {
    get: () => last,
    getAt: (snapshot: Snapshot) => lastAt.get(snapshot) ?? null,
    subscribe: (listener: () => void) => {
      const hear = () => {
        look();
        listener();
      };
      hear();
      const ends = [view.snapshot.subscribe(hear), view.connection.subscribe(hear)];
      window.addEventListener('pagehide', sleep);
      return () => {
        for (const end of ends) end();
        window.removeEventListener('pagehide', sleep);
      };
    },
  };
}

/**
 * This page's last sight of the subject, or its state when the page was frozen; `null` while the subject is
 * there or if it never was. `of` must keep its identity from one render to the next.
 */
export function useLastSeen(of: Subject): LastSeen | null {
  const view = useLiveView();
  const frozen = useContext(FrozenSnapshot);
  const { get, getAt, subscribe } = useMemo(
    () => createLastSeen({ view, of, now: serverClock.now }),
    [view, of],
  );
  return useSyncExternalStore(subscribe, frozen === null ? get : () => getAt(frozen), () => null);
}
