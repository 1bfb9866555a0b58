/** A provider's watch as a test follows it, and what is open in this process. */
import type { Lock, Semaphore, World } from '@/lib/domain/model';
import type { Provider } from '@/lib/domain/seam/provider';
import type { SourceState } from '@/lib/domain/source-state';
import { until } from '@/test/support/until';

export interface Watching {
  readonly worlds: readonly World[];
  readonly sources: readonly SourceState[];
  readonly contacts: readonly number[];
  world(): World;
  lock(key: string): Lock | undefined;
  semaphore(prefix: string): Semaphore | undefined;
  /** Resolves when the watch says this state. */
  says(...states: readonly SourceState['state'][]): Promise<SourceState>;
  stop(): Promise<void>;
}

/** Starts a watch. Stop it before the provider is closed. */
export function watching(provider: Provider): Watching {
  const worlds: World[] = [];
  const sources: SourceState[] = [];
  const contacts: number[] = [];
  const end = new AbortController();
  const ended = provider.watch(
    {
      world: (world) => void worlds.push(world),
      source: (source) => void sources.push(source),
      contact: (atMs) => void contacts.push(atMs),
    },
    end.signal,
  );
  const world = () => worlds.at(-1) ?? { locks: [], semaphores: [], sessions: [] };
  return {
    worlds,
    sources,
    contacts,
    world,
    lock: (key) => world().locks.find((one) => one.key === key),
    semaphore: (prefix) => world().semaphores.find((one) => one.prefix === prefix),
    says: (...states) =>
      until(() => sources.at(-1) && states.includes(sources.at(-1)?.state ?? 'down') && sources.at(-1), {
        what: `the state ${states.join(' or ')}`,
        timeoutMs: 30_000,
      }) as Promise<SourceState>,
    stop: async () => {
      end.abort();
      await ended;
    },
  };
}

/** How many of each kind of handle are open. */
export function handles(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
