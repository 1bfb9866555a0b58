/** Taking the slot of one holder: with its session, or alone. */
import { z } from 'zod/mini';
import { capabilities } from '@/lib/domain/capabilities';
import type { EvidenceCode, Semaphore } from '@/lib/domain/model';
import { semaphoreSubject } from '@/lib/domain/subject';
import { describe, form, key, no, sessionId, yes } from './descriptor';

export const semaphoreEvict = describe({
  schema: form('semaphore.evict', {
    prefix: key,
    sessionId,
    how: z.enum(['destroy-session', 'slot-only']),
  }),
  subjects: (action) => [semaphoreSubject(action)],
  ways: ['destroy-session', 'slot-only'],
  needsReason: true,
  can: ({ sessionId, how }, { semaphore }) => {
    if (semaphore === null) return no('semaphore-not-in-view', {});
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
});

/** With its session, where it has one. */
export const evict = (
  { source, prefix, layout }: Pick<Semaphore, 'source' | 'prefix' | 'layout'>,
  sessionId: string,
): z.infer<typeof semaphoreEvict.schema> => ({
  type: 'semaphore.evict',
  source,
  prefix,
  sessionId,
  how: capabilities[layout].holds === 'session' ? 'destroy-session' : 'slot-only',
});
