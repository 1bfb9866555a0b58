/** What can be done to a session: it ends, with everything that it holds. */
import type { Session } from '@/lib/domain/model';
import { describe, form, no, sessionId, yes } from './descriptor';

export const sessionDestroy = describe({
  schema: form('session.destroy', { sessionId }),
  subjects: (action) => [{ kind: 'session', id: action.sessionId }],
  needsReason: true,
  can: (_action, { session }) => (session === null ? no('session-not-in-view', {}) : yes),
  hits: 'session',
  follows: 'next-holder',
});

export const destroySession = ({ id }: Pick<Session, 'id'>) =>
  ({ type: 'session.destroy', sessionId: id }) as const;
