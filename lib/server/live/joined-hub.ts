/**
 * The hub of one credential. Credentials to which the backend shows the same share one hub.
 *
 *   alone (a hub of its own) --`shares` a watch--> at the hub of that watch --another one, or `null`--> there, or alone
 *
 * Each transition calls `turned` on its viewers.
 */

import type { SharedWatch } from '@/lib/domain/seam/provider';
import { catchingUp } from '@/lib/domain/source-state';
import type { Hub, HubListener, HubOptions } from './hub';

export interface SharedHubs {
  enter(watch: SharedWatch): { readonly hub: Hub; leave(): void };
  close(): Promise<void>;
}

export function createSharedHubs({
  make,
  onBug,
}: {
  readonly make: (watch: SharedWatch) => Hub;
  readonly onBug: (error: unknown) => void;
}): SharedHubs {
  const open = new Map<SharedWatch, { readonly hub: Hub; users: number }>();
  const ending = new Set<Promise<void>>();
  const end = (hub: Hub) => {
    const ended = hub.close().catch(onBug);
    ending.add(ended);
    void ended.finally(() => ending.delete(ended));
  };
  return {
    enter: (watch) => {
      const one = open.get(watch) ?? { hub: make(watch), users: 0 };
      open.set(watch, one);
      one.users += 1;
      return {
        hub: one.hub,
        leave: () => {
          one.users -= 1;
          if (one.users > 0) return;
          open.delete(watch);
          end(one.hub);
        },
      };
    },
    close: async () => {
      for (const { hub } of open.values()) end(hub);
      open.clear();
      await Promise.all(ending);
    },
  };
}

/** `alone`: makes the credential's own hub. */
export function createJoinedHub({
  provider,
  shared,
  alone,
  now,
}: {
  readonly provider: HubOptions['provider'];
  readonly shared: SharedHubs;
  readonly alone: (provider: HubOptions['provider']) => Hub;
  readonly now: () => number;
}): Hub {
  /** Listeners, each with the function that takes it from its present hub. */
  const listeners = new Map<HubListener, () => void>();
  let joined: ReturnType<SharedHubs['enter']> | null = null;
  let closed = false;
  /** Callers of `ready`. One lasting promise would keep each caller's request in memory (0036). */
  const waiting = new Set<() => void>();
  const wakeAll = () => {
    for (const wake of [...waiting]) wake();
  };

  const own = alone({
    id: provider.id,
    watch: (listener, signal) =>
      provider.watch(
        {
          ...listener,
          shares: (watch) => {
            if (closed) return;
            if (watch !== null && own.read) {
              listener.world({ locks: [], semaphores: [], sessions: [] }, now());
              listener.source(catchingUp(own.snapshot().source));
            }
            goTo(watch === null ? null : shared.enter(watch));
          },
        },
        signal,
      ),
  });
  const base = () => joined?.hub ?? own;

  const goTo = (next: typeof joined) => {
    const before = joined;
    joined = next;
    for (const [listener, leave] of [...listeners]) {
      leave();
      listeners.set(listener, base().subscribe(listener, null).leave);
      listener.turned?.();
    }
    before?.leave();
    wakeAll();
  };

  return {
    get instance() {
      return base().instance;
    },
    get base() {
      return base();
    },
    apart: (make) => base().apart(make),
    get viewers() {
      return listeners.size;
    },
    get read() {
      return base().read;
    },
    get contactMs() {
      return base().contactMs;
    },
    snapshot: () => base().snapshot(),
    shownOf: (finding) => base().shownOf(finding),
    since: (version) => base().since(version),
    subscribe: (listener, since) => {
      const { start, leave } = base().subscribe(listener, since);
      listeners.set(listener, leave);
      return {
        start,
        leave: () => {
          listeners.get(listener)?.();
          listeners.delete(listener);
        },
      };
    },
    ready: async (timeoutMs) => {
      const untilMs = performance.now() + timeoutMs;
      for (let left = timeoutMs; left > 0 && !closed && !base().read; left = untilMs - performance.now())
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
          void base().ready(left).then(wake);
        });
    },
    close: async () => {
      closed = true;
      const all = [...listeners];
      listeners.clear();
      for (const [listener, leave] of all) {
        leave();
        listener.closed();
      }
      joined?.leave();
      joined = null;
      wakeAll();
      await own.close();
    },
  };
}
