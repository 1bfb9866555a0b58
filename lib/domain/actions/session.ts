/** What can be done to a session: it ends, with everything that it holds. */
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

export const destroySession = ({ source, id }: SessionRef) =>
  ({ type: 'session.destroy', source, sessionId: id }) as const;
