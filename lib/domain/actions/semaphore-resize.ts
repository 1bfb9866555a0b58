/** Setting another limit. */
import { z } from 'zod/mini';
import { layouts } from '@/lib/domain/layout';
import { type SemaphoreRef, semaphoreSubject } from '@/lib/domain/subject';
import { describe, form, key, no, yes } from './descriptor';

/** Largest limit that can be set: far beyond what one coordination entry of 512 KiB can record. */
export const limitMax = 100_000;

export const semaphoreResize = describe({
  schema: form('semaphore.resize', {
    prefix: key,
    limit: z.int().check(z.minimum(1), z.maximum(limitMax)),
  }),
  subjects: (action) => [semaphoreSubject(action)],
  needsReason: true,
  can: ({ limit }, { semaphore }) => {
    if (semaphore === null) return no('semaphore-not-in-view', {});
    const { limit: now, recorded, layout, problems } = semaphore;
    if (now === null || recorded === null || layouts[layout].resize === null) return no('not-understood', {});
    if (limit === now) return no('limit-already', { limit });
    // The Java client admits when `limit == holders.size()` is false: with fewer slots than holders it admits
    // without bound. The guide's clients are unknown and get the same care. A client that writes other flags
    // than Go's may be one of them.
    const mayBeLive =
      layouts[layout].resize === 'live' || problems.some(({ code }) => code === 'wrong-flags');
    if (mayBeLive && limit < recorded) return no('below-recorded', { recorded });
    return yes;
  },
  hits: null,
  follows: 'queue',
});

export const setLimit = (
  { source, prefix }: SemaphoreRef,
  limit: number,
): z.infer<typeof semaphoreResize.schema> => ({
  type: 'semaphore.resize',
  source,
  prefix,
  limit,
});
