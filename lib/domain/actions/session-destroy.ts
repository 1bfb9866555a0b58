/** Ending a session, with everything that it holds. */
import type { z } from 'zod/mini';
import { type SessionRef, sessionSubject } from '@/lib/domain/subject';
import { describe, form, no, sessionId, yes } from './descriptor';

export const sessionDestroy = describe({
  schema: form('session.destroy', { sessionId }),
  subjects: ({ source, sessionId }) => [sessionSubject({ source, id: sessionId })],
  needsReason: true,
  can: (_action, { session }) => (session === null ? no('session-not-in-view', {}) : yes),
  hits: 'session',
  follows: 'next-holder',
});

export const destroySession = ({ source, id }: SessionRef): z.infer<typeof sessionDestroy.schema> => ({
  type: 'session.destroy',
  source,
  sessionId: id,
});
