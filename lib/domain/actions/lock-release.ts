/** Freeing a lock: by the end of its holder's session, or by handing the key over. */
import { z } from 'zod/mini';
import { capabilities } from '@/lib/domain/capabilities';
import type { Lock } from '@/lib/domain/model';
import { lockSubject } from '@/lib/domain/subject';
import { describe, form, key, no, yes } from './descriptor';

export const lockRelease = describe({
  schema: form('lock.release', { key, how: z.enum(['destroy-session', 'hand-over']) }),
  subjects: (action) => [lockSubject(action)],
  ways: ['destroy-session', 'hand-over'],
  needsReason: true,
  can: (_action, { lock }) => {
    if (lock === null) return no('lock-not-in-view', {});
    if (lock.state === 'unknown') return no('holder-unknown', {});
    if (lock.state !== 'held' || lock.holder === null) return no('nobody-holds', {});
    return yes;
  },
  writesEntry: ({ how }) => how === 'hand-over',
  hits: 'holder',
  follows: 'next-holder',
});

/** With its session, where it has one, so that its lock-delay protects the next holder; else by handing the key over. */
export const release = (
  { source, key, layout }: Pick<Lock, 'source' | 'key' | 'layout'>,
  how: 'destroy-session' | 'hand-over' = capabilities[layout].holds === 'session'
    ? 'destroy-session'
    : 'hand-over',
): z.infer<typeof lockRelease.schema> => ({ type: 'lock.release', source, key, how });
