/**
 * One watch of a source for any number of listeners, each from its own time on. A source that asks for no credentials
 * shows everyone the same. The watch runs while it has listeners.
 */
import type { Renewal, World } from '@/lib/domain/model';
import type { Provider, ProviderListener } from '@/lib/domain/seam/provider';
import type { SourceState } from '@/lib/domain/source-state';

type Watch = Provider['watch'];

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

export function createFanOut(watch: Watch): Watch {
  const listeners = new Set<ProviderListener>();
  let running: { readonly end: AbortController; readonly ended: Promise<void> } | null = null;
  let world: { readonly of: World; readonly asOfMs: number } | null = null;
  let renewals: { readonly of: readonly Renewal[]; readonly asOfMs: number } | null = null;
  let source: SourceState | null = null;
  const all = (notify: (listener: ProviderListener) => void | Promise<void>): void | Promise<void> => {
    const pending = [...listeners].map(notify).filter((one) => one instanceof Promise);
    // The slowest sets the pace, as it would alone.
    return pending.length === 0 ? undefined : Promise.all(pending).then(() => {});
  };
  const start = () => {
    const end = new AbortController();
    // An ended watch must stay silent, because the next one may run already.
    const isOver = () => end.signal.aborted;
    const ended = watch(
      {
        world: (of, asOfMs) => {
          if (isOver()) return;
          world = { of, asOfMs };
          renewals = null;
          return all((listener) => listener.world(of, asOfMs));
        },
        renewals: (of, asOfMs) => {
          if (isOver()) return;
          renewals = { of, asOfMs };
          void all((listener) => listener.renewals?.(of, asOfMs));
        },
        source: (state) => {
          if (isOver()) return;
          source = state;
          void all((listener) => listener.source(state));
        },
        contact: (atMs) => void all((listener) => listener.contact?.(atMs)),
      },
      end.signal,
    );
    return { end, ended };
  };
  return async (listener, signal) => {
    if (signal.aborted) return;
    listeners.add(listener);
    running ??= start();
    const { end, ended } = running;
    try {
      if (source !== null) listener.source(source);
      if (world !== null) await listener.world(world.of, world.asOfMs);
      if (renewals !== null) listener.renewals?.(renewals.of, renewals.asOfMs);
      // A bug that ends the watch ends every listener's, and each may begin again.
      await Promise.race([aborted(signal), ended]);
    } finally {
      listeners.delete(listener);
      if (listeners.size === 0) {
        end.abort();
        if (running?.end === end) running = null;
        [world, renewals, source] = [null, null, null];
        await ended;
      }
    }
  };
}
