/** Several watches as one: worlds merged, states summed up. A source that is down keeps its rows, and stops no other. */
import type { Renewal, World } from '@/lib/domain/model';
import type { Provider, ProviderListener } from '@/lib/domain/seam/provider';
import type { SourceState } from '@/lib/domain/source-state';
import { createMerge } from './merged-world';
import { sumOf } from './source-sum';

/** A source's watch, and its state before anything was heard of it. */
export interface Part {
  readonly watch: Provider['watch'];
  readonly unread: SourceState;
}

interface Heard {
  world: World | null;
  source: SourceState;
  contactMs: number | null;
}

/**
 * Watches all parts until aborted. `shares`: called when the watch of a part is shared with others, with the part's
 * place.
 */
export async function watchJoined(
  parts: readonly [Part, ...Part[]],
  listener: ProviderListener,
  signal: AbortSignal,
  shares?: (place: number) => ProviderListener['shares'],
): Promise<void> {
  const latest = parts.map(({ unread }): Heard => ({ world: null, source: unread, contactMs: null }));
  const merge = createMerge();
  const together = () => {
    const worlds = latest.flatMap(({ world }) => world ?? []);
    return merge(worlds, worlds.length === parts.length);
  };
  const publishSource = () => {
    const [first, ...others] = latest.map(({ source }) => source);
    if (first !== undefined) listener.source(sumOf([first, ...others]));
  };
  const follow = (one: Heard, place: number): ProviderListener => {
    const shared = shares?.(place);
    return {
      world: (world, asOfMs) => {
        one.world = world;
        return listener.world(together(), asOfMs);
      },
      renewals: (renewals: readonly Renewal[], asOfMs) => {
        if (one.world === null) return;
        one.world = { ...one.world, renewals };
        listener.renewals?.(together().renewals ?? [], asOfMs);
      },
      source: (source) => {
        one.source = source;
        publishSource();
      },
      contact: (atMs) => {
        one.contactMs = atMs;
        // The live parts were confirmed when the last of them answered.
        const live = latest.filter(({ source }) => source.state === 'live').map(({ contactMs }) => contactMs);
        if (live.length > 0 && live.every((one) => one !== null)) listener.contact?.(Math.min(...live));
      },
      ...(shared === undefined
        ? {}
        : {
            shares: (watch) => {
              // From now on another watch reports this part, or it begins again. Data from here is old.
              Object.assign(one, { world: null, source: (parts[place] as Part).unread, contactMs: null });
              shared(watch);
            },
          }),
    };
  };
  // A bug in one watch ends all of them, and the caller begins again.
  const failed = new AbortController();
  const within = AbortSignal.any([signal, failed.signal]);
  const ended = parts.map(({ watch }, place) =>
    watch(follow(latest[place] as Heard, place), within).catch((error: unknown) => {
      failed.abort();
      throw error;
    }),
  );
  const results = await Promise.allSettled(ended);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
