/** Taking the ghosts off the records of semaphores: one, or many, each judged by itself. */
import { z } from 'zod/mini';
import type { SourceId } from '@/lib/domain/source';
import { semaphoreSubject } from '@/lib/domain/subject';
import { describe, form, key, no, yes } from './descriptor';

/** Most semaphores in one prune. */
export const prunePrefixesMax = 500;

export const semaphorePrune = describe({
  schema: form('semaphore.prune', {
    prefixes: z.array(key).check(z.minLength(1), z.maxLength(prunePrefixesMax)),
  }),
  subjects: ({ source, prefixes }) => prefixes.map((prefix) => semaphoreSubject({ source, prefix })),
  needsReason: false,
  can: ({ prefixes }, { semaphore }) => {
    if (prefixes.length > 1) return yes;
    if (semaphore === null) return no('semaphore-not-in-view', {});
    if (semaphore.layout === 'unreadable') return no('not-understood', {});
    if (!semaphore.holders.some((h) => h.verdict === 'ghost')) return no('no-ghost', {});
    return yes;
  },
  writesEntry: ({ prefixes }) => prefixes.length === 1,
  hits: 'ghosts',
  follows: 'next-holder',
});

export const prune = (
  source: SourceId,
  prefixes: readonly string[],
): z.infer<typeof semaphorePrune.schema> => ({
  type: 'semaphore.prune',
  source,
  prefixes: [...prefixes],
});
