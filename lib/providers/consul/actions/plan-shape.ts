/**
 * What a plan of each action can have seen. The audit keeps what a request says that it saw, so what no plan gives is refused
 * before it gets there. Nothing here asks Consul: whether it still holds is compared on a fresh read.
 */

import type { Action } from '@/lib/domain/actions/action';
import { coordinationKey } from '@/lib/providers/consul/rows/coordination';
import { type ActContext, refusal, requireInView } from './consistent-read';
import type { Seen } from './expectation';

type Entry = Seen['entries'][number];

export interface Shape {
  /** Keys that the plan always names. */
  readonly needs: readonly string[];
  /** Whether it can name this entry so. */
  fits(entry: Entry): boolean;
  readonly entriesMin?: number;
  readonly entriesMax?: number;
  /** By what the entries say; none by default. */
  readonly sessions?: (entries: readonly Entry[]) => readonly (string | null)[];
  readonly verdict?: 'always' | 'maybe';
  readonly holdings?: boolean;
}

/** Compared by its index, so it was there. */
export const isThere = ({ modifyIndex, seen }: Entry) => modifyIndex !== null && seen === undefined;

/** The member of `seen` that no plan of this shape gives; `null`: one may have given all of it. */
function strangeIn(shape: Shape, { entries, sessions, verdict, holdings }: Seen): string | null {
  const { needs, fits, entriesMin = 0, entriesMax = entries.length } = shape;
  const keys = new Set(entries.map(({ key }) => key));
  const strange = entries.findIndex(
    (entry) =>
      !fits(entry) ||
      (entry.createIndex !== undefined && (entry.createIndex === null) !== (entry.modifyIndex === null)),
  );
  if (strange !== -1) return `entries.${strange}`;
  if (keys.size < entries.length || keys.size < entriesMin || keys.size > entriesMax) return 'entries';
  if (!needs.every((key) => keys.has(key))) return 'entries';
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

/** Throws what is known against it without asking Consul. */
export function requirePlausible(
  action: Action,
  shape: Shape,
  seen: Seen,
  context: Pick<ActContext, 'roots'>,
): void {
  for (const name of namesOf(action)) requireInView(context, name);
  const where = strangeIn(shape, seen);
  if (where !== null) throw refusal('invalid', { code: 'not-of-plan', facts: { where: `expect.${where}` } });
}
