/** Consul behind the seam: watch and recognition make worlds, `act` makes plans and writes. */
import { same } from '@/lib/domain/change';
import type { World } from '@/lib/domain/model';
import type { Provider } from '@/lib/domain/provider';
import { createActor } from './act';
import { createConsulClient } from './client';
import { type Clock, systemClock } from './clock';
import { recognise } from './recognise';
import type { ConsulSettings } from './settings';
import { watchConsul } from './watch';

/** Sockets for writes and the reads before them: few, and never behind those of the watch. */
const actorCallsMax = 4;

/** The rows of `after`, those that have not changed replaced by the objects of `before`. */
function keep<T>(before: readonly T[], after: readonly T[], name: (row: T) => string): readonly T[] {
  const known = new Map(before.map((row) => [name(row), row]));
  const kept = after.map((row) => {
    const was = known.get(name(row));
    return was !== undefined && same(was, row) ? was : row;
  });
  return kept.length === before.length && kept.every((row, i) => row === before[i]) ? before : kept;
}

/** `after`, sharing everything that has not changed with `before`, so that a difference costs what changed. */
function share(before: World | null, after: World): World {
  if (before === null) return after;
  return {
    ...after,
    locks: keep(before.locks, after.locks, (lock) => lock.key),
    semaphores: keep(before.semaphores, after.semaphores, (semaphore) => semaphore.prefix),
    sessions: keep(before.sessions, after.sessions, (session) => session.id),
  };
}

/**
 * A provider for one address and one token. `prefixes`: the string prefixes of the key-value store to watch, '' for
 * all of it. Close it when done.
 */
export function createConsulProvider({
  settings,
  prefixes,
  now,
  clock = { ...systemClock, now },
}: {
  settings: ConsulSettings;
  prefixes: readonly string[];
  now: () => number;
  clock?: Clock;
}): Provider {
  const reader = createConsulClient(settings);
  const writer = createConsulClient(settings, { maxPolls: 1, maxCalls: actorCallsMax });
  const actor = createActor({ client: writer, roots: prefixes, now });
  return {
    id: 'consul',
    watch: (listener, signal) => {
      let world: World | null = null;
      return watchConsul(
        {
          client: reader,
          prefixes,
          clock,
          onView: (view, asOfMs) => {
            world = share(world, recognise(view));
            listener.world(world, asOfMs);
          },
          onSource: (source) => listener.source(source),
        },
        signal,
      );
    },
    plan: (action, signal) => actor.plan(action, signal),
    apply: (action, expect, signal) => actor.apply(action, expect, signal),
    close: () => {
      reader.close();
      writer.close();
    },
  };
}
