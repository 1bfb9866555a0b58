/**
 * What a plan of each action can have seen. The audit keeps what a request says that it saw, so what no plan gives is refused
 * before it gets there. Nothing here asks Consul: whether it still holds is compared on a fresh read.
 */

import type { Action, Expect } from '@/lib/domain/actions/action';
import type { Problem } from '@/lib/domain/problem';
import { contenderKey, coordinationKey } from '@/lib/providers/consul/rows/coordination';
import { type ActContext, refusal, requireInView } from './consistent-read';
import { problemOf } from './write';

type Entry = Expect['entries'][number];

interface Shape {
  /** Keys that the plan always names. */
  readonly needs: readonly string[];
  /** Whether it can name this entry so. */
  fits(entry: Entry): boolean;
  readonly entriesMax?: number;
  /** By what the entries say; none by default. */
  readonly sessions?: (entries: readonly Entry[]) => readonly (string | null)[];
  readonly verdict?: 'always' | 'maybe';
  readonly holdings?: boolean;
}

/** Compared by its index, so it was there. */
const isThere = ({ modifyIndex, seen }: Entry) => modifyIndex !== null && seen === undefined;

function shapeOf(action: Action): Shape {
  switch (action.type) {
    case 'lock.release':
      return {
        needs: [action.key],
        fits: (entry) => isThere(entry) && entry.session !== null,
        entriesMax: 1,
        sessions: (entries) => entries.map(({ session }) => session),
        verdict: 'always',
        holdings: action.how === 'destroy-session',
      };
    case 'semaphore.evict': {
      const { prefix, sessionId, how } = action;
      const own = contenderKey(prefix, sessionId);
      return {
        needs: [],
        // Its contender entry, also where there is none, or else a key under the prefix that it locks.
        fits: ({ key, session, seen }) =>
          seen === undefined && (key === own || (key.startsWith(prefix) && session === sessionId)),
        entriesMax: 1,
        sessions: () => [sessionId],
        verdict: 'always',
        holdings: how === 'destroy-session',
      };
    }
    case 'semaphore.prune': {
      const keys = [...new Set(action.prefixes.map(coordinationKey))];
      return {
        needs: keys,
        fits: ({ session, seen }) => session === null && seen !== undefined,
        entriesMax: keys.length,
      };
    }
    case 'semaphore.resize':
      return {
        needs: [coordinationKey(action.prefix)],
        fits: ({ modifyIndex, session, seen }) =>
          modifyIndex !== null && session === null && seen !== undefined,
        entriesMax: 1,
      };
    case 'session.destroy':
      return {
        needs: [],
        fits: () => false,
        sessions: () => [action.sessionId],
        verdict: 'maybe',
        holdings: true,
      };
    case 'lock.delete':
      return {
        needs: [action.key],
        // With what a Terraform run left beside it, whose name begins with that of the lock.
        fits: (entry) => isThere(entry) && entry.key.startsWith(action.key),
        entriesMax: 2,
      };
    case 'semaphore.delete':
      return {
        needs: [coordinationKey(action.prefix)],
        fits: (entry) => isThere(entry) && entry.key.startsWith(`${action.prefix}/`),
      };
  }
}

/** The member of `expect` that no plan of this action gives; `null`: one may have given all of it. */
function strangeIn(action: Action, { entries, sessions, verdict, holdings }: Expect): string | null {
  const shape = shapeOf(action);
  const { needs, fits, entriesMax = entries.length } = shape;
  const keys = new Set(entries.map(({ key }) => key));
  const strange = entries.findIndex(
    (entry) =>
      !fits(entry) ||
      (entry.createIndex !== undefined && (entry.createIndex === null) !== (entry.modifyIndex === null)),
  );
  if (strange !== -1) return `entries.${strange}`;
  if (keys.size < entries.length || keys.size > entriesMax) return 'entries';
  if (!needs.every((key) => keys.has(key))) return 'entries';
  if (action.type === 'semaphore.evict' && keys.size === 0) return 'entries';
  if (JSON.stringify(sessions) !== JSON.stringify(shape.sessions?.(entries) ?? [])) return 'sessions';
  if (verdict === undefined ? shape.verdict === 'always' : shape.verdict === undefined) return 'verdict';
  const isWhole = holdings !== undefined && /^[0-9a-f]{64}$/.test(holdings.digest);
  if (shape.holdings === true ? !isWhole : holdings !== undefined) return 'holdings';
  return null;
}

const namesOf = (action: Action): readonly string[] => {
  if ('key' in action) return [action.key];
  if ('prefix' in action) return [coordinationKey(action.prefix)];
  return 'prefixes' in action ? action.prefixes.map(coordinationKey) : [];
};

/** Why it is refused without asking Consul; `null`: nothing is known against it. */
export function refusedUnasked(
  action: Action,
  expect: Expect,
  context: Pick<ActContext, 'roots'>,
): Problem | null {
  try {
    for (const name of namesOf(action)) requireInView(context, name);
    const where = strangeIn(action, expect);
    if (where !== null)
      throw refusal('invalid', { code: 'not-of-plan', facts: { where: `expect.${where}` } });
    return null;
  } catch (error) {
    return problemOf(error, new AbortController().signal);
  }
}
