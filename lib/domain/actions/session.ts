/** The action on a session: it ends, with everything that it holds. */
import { type SessionRef, sessionSubject } from '@/lib/domain/subject';
import { type DescriptorOf, no, yes } from './descriptor';

export const sessionDestroy: DescriptorOf<'session.destroy'> = {
  subjects: ({ source, sessionId }) => [sessionSubject({ source, id: sessionId })],
  needsReason: true,
  can: (_action, { session }) => (session === null ? no('session-not-in-view', {}) : yes),
  hits: 'session',
  follows: 'next-holder',
};

export const destroySession = ({ source, id }: SessionRef) =>
  ({ type: 'session.destroy', source, sessionId: id }) as const;
