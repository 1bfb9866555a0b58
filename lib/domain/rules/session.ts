/** Rules about sessions: how they end, and whether they are of any use. */
import { ground, type Rule } from './rule';

/**
 * A lock-delay below this protects nobody. It is there to cover the time in which the old holder has not yet learned
 * of its end, and a pause of the process or a slow network alone takes longer. Patroni, consul-template and libkv ask
 * for 1 ms, because 0 would mean the default of 15 s in some clients; it is meant as none.
 */
const delayMinMs = 1_000;

export const sessionRules: readonly Rule[] = [
  {
    code: 'no-lock-delay',
    about: 'lock',
    look: ({ holder, layout }, { session }) => {
      // A member's own key: nobody competes for it, so there is no next holder to protect.
      if (holder === null || layout === 'patroni-member') return null;
      const delayMs = session(holder.sessionId)?.lockDelayMs ?? null;
      return delayMs === null || delayMs >= delayMinMs
        ? null
        : {
            severity: 'notice',
            facts: { label: holder.label, delayMs, layout },
            grounds: [ground(holder, null, new Set())],
            mend: null,
          };
    },
  },
  {
    code: 'session-leak',
    about: 'session',
    look: ({ id, ttlMs, holds, wants, name, node }, { world }) =>
      // In a part of the backend, a session that seems to hold nothing may hold something elsewhere.
      world.scope !== 'whole' || ttlMs !== null || holds.length > 0 || wants.length > 0
        ? null
        : { severity: 'notice', facts: { name, node }, mend: { type: 'session.destroy', sessionId: id } },
  },
];
