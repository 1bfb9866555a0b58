/** The actions on a semaphore. */
import { capabilities, freeOf } from '@/lib/domain/capabilities';
import { namedHolders, unlistedHolders } from '@/lib/domain/holders';
import { layouts } from '@/lib/domain/layout';
import type { EvidenceCode, Semaphore } from '@/lib/domain/model';
import type { SourceId } from '@/lib/domain/source';
import { type SemaphoreRef, semaphoreSubject } from '@/lib/domain/subject';
import { type DescriptorOf, no, yes } from './descriptor';

/** Most semaphores in one prune. */
export const prunePrefixesMax = 500;
/** Largest limit that can be set: far beyond what one coordination entry of 512 KiB can record. */
export const limitMax = 100_000;

/** Takes the slot of one holder: with its session, or alone. */
export const semaphoreEvict: DescriptorOf<'semaphore.evict'> = {
  subjects: (action) => [semaphoreSubject(action)],
  ways: ['destroy-session', 'slot-only'],
  needsReason: true,
  can: ({ sessionId, how }, { semaphore }) => {
    if (semaphore === null) return no('semaphore-not-in-view', {});
    if (!capabilities[semaphore.layout].releases) return no('not-offered-here', {});
    const holder = semaphore.holders.find((h) => h.sessionId === sessionId);
    if (holder === undefined) return no('not-holder', { sessionId });
    if (holder.verdict === 'ghost') return no('is-ghost', { sessionId });
    const rests = (on: EvidenceCode) => holder.evidence.some(({ code }) => code === on);
    if (rests('name-of-no-session')) return no('not-a-session', { name: sessionId });
    if (rests('may-need-no-entry')) {
      // The end of an invisible session cannot be confirmed.
      if (holder.session === null) return no('session-not-in-view', {});
      if (how === 'slot-only') return no('locks-nothing-here', { sessionId });
    }
    if (semaphore.layout === 'unreadable' && how === 'slot-only') return no('not-understood', {});
    return yes;
  },
  hits: 'slot',
  follows: 'next-holder',
};

/** Removes one waiter from the queue. A dead head keeps all waiters behind it out. */
export const semaphoreRemoveWaiter: DescriptorOf<'semaphore.remove-waiter'> = {
  subjects: (action) => [semaphoreSubject(action)],
  needsReason: true,
  can: ({ sessionId }, { semaphore }) => {
    if (semaphore === null) return no('semaphore-not-in-view', {});
    if (!capabilities[semaphore.layout].removesWaiters) return no('not-offered-here', {});
    const waits = semaphore.waiters.some((one) => one.sessionId === sessionId);
    return waits ? yes : no('not-waiter', { sessionId });
  },
  hits: 'waiter',
  follows: 'next-holder',
};

export const removeSemaphoreWaiter = ({ source, prefix }: SemaphoreRef, sessionId: string) =>
  ({ type: 'semaphore.remove-waiter', source, prefix, sessionId }) as const;

/** Returns permits that clients took with them when they died. No record names their owners. */
export const semaphoreReturnPermits: DescriptorOf<'semaphore.return-permits'> = {
  subjects: (action) => [semaphoreSubject(action)],
  needsReason: true,
  can: (_action, { semaphore }) => {
    if (semaphore === null) return no('semaphore-not-in-view', {});
    return capabilities[semaphore.layout].returns ? yes : no('not-offered-here', {});
  },
  hits: null,
  follows: 'queue',
};

export const returnPermits = ({ source, prefix }: SemaphoreRef, permits: number) =>
  ({ type: 'semaphore.return-permits', source, prefix, permits }) as const;

/** Ends the holder's session too, where there is one. */
export const evict = (
  { source, prefix, layout }: Pick<Semaphore, 'source' | 'prefix' | 'layout'>,
  sessionId: string,
) => {
  const how = capabilities[layout].holds === 'session' ? 'destroy-session' : 'slot-only';
  return { type: 'semaphore.evict', source, prefix, sessionId, how } as const;
};

/** Removes the ghosts from the records of one or many semaphores, each judged separately. */
export const semaphorePrune: DescriptorOf<'semaphore.prune'> = {
  subjects: ({ source, prefixes }) => prefixes.map((prefix) => semaphoreSubject({ source, prefix })),
  needsReason: false,
  can: ({ prefixes }, { semaphore }) => {
    if (prefixes.length > 1) return yes;
    if (semaphore === null) return no('semaphore-not-in-view', {});
    if (semaphore.layout === 'unreadable') return no('not-understood', {});
    if (!capabilities[semaphore.layout].releases) return no('not-offered-here', {});
    if (!semaphore.holders.some((h) => h.verdict === 'ghost')) return no('no-ghost', {});
    return yes;
  },
  writesEntry: ({ prefixes }) => prefixes.length === 1,
  hits: 'ghosts',
  follows: 'next-holder',
};

export const prune = (source: SourceId, prefixes: readonly string[]) => ({
  type: 'semaphore.prune' as const,
  source,
  prefixes: [...prefixes],
});

export const semaphoreResize: DescriptorOf<'semaphore.resize'> = {
  subjects: (action) => [semaphoreSubject(action)],
  needsReason: true,
  can: ({ limit }, { semaphore }) => {
    if (semaphore === null) return no('semaphore-not-in-view', {});
    const { limit: now, recorded, layout, problems } = semaphore;
    const free = freeOf(semaphore);
    if (layouts[layout].resize === null && layout !== 'unreadable') return no('not-offered-here', {});
    if (free !== undefined && now === null) return no('limit-not-stored', {});
    const isKnown = free === undefined ? recorded !== null : free !== null;
    if (now === null || !isKnown || layouts[layout].resize === null) return no('not-understood', {});
    if (limit === now) return no('limit-already', { limit });
    // The Java client admits when `limit == holders.size()` is false: with fewer slots than holders it admits
    // without bound. The guide's clients are unknown and get the same care. A client that writes other flags
    // than Go's may be one of them.
    const mayBeLive =
      layouts[layout].resize === 'live' || problems.some(({ code }) => code === 'wrong-flags');
    if (mayBeLive && recorded !== null && limit < recorded) return no('below-recorded', { recorded });
    return yes;
  },
  hits: null,
  follows: 'queue',
};

export const setLimit = ({ source, prefix }: SemaphoreRef, limit: number) =>
  ({ type: 'semaphore.resize', source, prefix, limit }) as const;

/** Deletes the record of a semaphore without holders and waiters. */
export const semaphoreDelete: DescriptorOf<'semaphore.delete'> = {
  subjects: (action) => [semaphoreSubject(action)],
  needsReason: true,
  can: (_action, { semaphore }) => {
    if (semaphore === null || semaphore.modifyIndex === null) return no('semaphore-not-in-view', {});
    // Deleting the record while a Go client holds or waits makes every one of them fail (api/semaphore.go).
    if (semaphore.holders.length > 0)
      return no('holders-recorded', { recorded: semaphore.holders.length + unlistedHolders(semaphore) });
    if (semaphore.waiters.length > 0) return no('sessions-wait', { waiters: semaphore.waiters.length });
    // The holders could not be read, so there may be some.
    if (namedHolders(semaphore) === null) return no('not-understood', {});
    return yes;
  },
  hits: null,
  follows: 'next-holder',
};

export const deleteSemaphore = ({ source, prefix }: SemaphoreRef) =>
  ({ type: 'semaphore.delete', source, prefix }) as const;
