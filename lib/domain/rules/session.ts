/** Rules about sessions: how they end, and whether they hold anything. */
import { delayMinMs } from '@/lib/domain/actions/risk';
import { destroySession } from '@/lib/domain/actions/session';
import { ground, type Rule } from './rule';

export const sessionRules: readonly Rule[] = [
  {
    code: 'no-lock-delay',
    about: 'lock',
    look: ({ source, holder, layout }, { session }) => {
      // A member's own key has no competitors, so there is no next holder to protect.
      if (holder === null || layout === 'patroni-member') return null;
      const delayMs = session({ source, id: holder.sessionId })?.lockDelayMs ?? null;
      return delayMs === null || delayMs >= delayMinMs
        ? null
        : {
            severity: 'notice',
            facts: { label: holder.label, delayMs, layout },
            grounds: [ground({ source }, holder, null, new Set())],
            mend: null,
          };
    },
  },
  {
    code: 'session-leak',
    about: 'session',
    look: ({ source, id, ttlMs, holds, wants, name, node }, { world }) =>
      // With only a part of the backend in view, a session that seems idle may hold something elsewhere.
      world.scope !== 'whole' || ttlMs !== null || holds.length > 0 || wants.length > 0
        ? null
        : { severity: 'notice', facts: { name, node }, mend: destroySession({ source, id }) },
  },
];
