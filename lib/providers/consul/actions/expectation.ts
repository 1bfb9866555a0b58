/** The state that a plan saw: its form, its possible contents for each action, and its differences from the present. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Action } from '@/lib/domain/actions/action';
import type { Expect, Saw } from '@/lib/domain/actions/expect';
import { key, sessionId } from '@/lib/domain/actions/schema';
import { prunePrefixesMax } from '@/lib/domain/actions/semaphore';
import { likelyDead, type Party, verdicts } from '@/lib/domain/model';
import type { Difference } from '@/lib/domain/refusal';
import { isSeenAlive } from '@/lib/domain/revival';
import type { KvRow } from '@/lib/providers/consul/client/wire';
import { coordinationKey } from '@/lib/providers/consul/rows/coordination';
import { type ActContext, refusal, requireInView } from './consistent-read';

/** Longest fact that an expectation repeats, in characters. */
export const seenLengthMax = 4096;
/** Most entries that one plan may depend on. */
export const expectEntriesMax = 2 * prunePrefixesMax;

const index = z.string().regex(/^\d{1,20}$/);

/**
 * Consul's form of the state that a plan saw: one row for every entry that the action depends on, with its index and
 * locking session. A `null` index: the entry did not exist.
 *
 * A busy coordination entry changes with every client, so an action that required its index could never be applied. Its
 * row carries the facts of the decision (the limit, the ghosts) in `seen`, which are compared instead. The write is
 * still conditional on a fresh index.
 */
export const seenSchema = z.strictObject({
  entries: z
    .array(
      z.strictObject({
        key,
        modifyIndex: z.nullable(index),
        /**
         * Compared beside the index, because another entry may have the same index after a restore. Older plans lack
         * it.
         */
        createIndex: z.optional(z.nullable(index)),
        session: z.nullable(sessionId),
        /** Compared instead of the index where present. */
        seen: z.optional(z.string().max(seenLengthMax)),
      }),
    )
    .max(expectEntriesMax),
  /**
   * The target's verdict in the plan. The action is refused when a target that was likely dead works again, which no
   * index shows.
   */
  verdict: z.optional(z.enum(verdicts)),
  /** Sessions that must still exist. */
  sessions: z.array(sessionId).max(64),
  /** All holdings of the session to destroy, compared because a destroy cannot be conditional. */
  holdings: z.optional(z.strictObject({ count: z.int().min(0), digest: z.string().max(64) })),
});

export type SeenChangeCode = z.infer<typeof seenSchema>;

type Entry = SeenChangeCode['entries'][number];

/** Throws `invalid` for another form. */
export function seenIn(expect: Expect): SeenChangeCode {
  const { data, error } = seenSchema.safeParse(expect);
  if (data !== undefined) return data;
  const where = ['expect', ...(error.issues[0]?.path ?? [])].join('.');
  throw refusal('invalid', { code: 'request-not-understood', facts: { where } });
}

/** The same state in the form of the seam. */
export const sawOf = ({ entries, sessions, verdict, holdings }: SeenChangeCode): Saw => ({
  sessions,
  verdict: verdict ?? null,
  holdings: holdings?.count ?? null,
  entries: entries.map(({ key, modifyIndex, session, seen }) => ({
    key,
    index: modifyIndex,
    session,
    ...(seen === undefined ? {} : { seen }),
  })),
});

/**
 * The states that a plan of one action can have seen. The audit records this part of a request, so any other state is
 * refused first, without a question to Consul.
 */
export interface Shape {
  /** Keys that the plan always names. */
  readonly needs: readonly string[];
  /** True when a plan can name this entry in this form. */
  fits(entry: Entry): boolean;
  readonly entriesMin?: number;
  readonly entriesMax?: number;
  /** The sessions of a plan with these entries; none by default. */
  readonly sessions?: (entries: readonly Entry[]) => readonly (string | null)[];
  readonly verdict?: 'always' | 'maybe';
  readonly holdings?: boolean;
}

/** True for an entry that existed and is compared by its index. */
export const isThere = ({ modifyIndex, seen }: Entry) => modifyIndex !== null && seen === undefined;

/** The member of `seen` that no plan of this shape gives; `null`: none. */
function strangeIn(shape: Shape, { entries, sessions, verdict, holdings }: SeenChangeCode): string | null {
  const { needs, fits, entriesMin = 0, entriesMax = entries.length } = shape;
  const keys = new Set(entries.map(({ key }) => key));
  const invalidIndex = entries.findIndex(
    (entry) =>
      !fits(entry) ||
      (entry.createIndex !== undefined && (entry.createIndex === null) !== (entry.modifyIndex === null)),
  );
  if (invalidIndex !== -1) return `entries.${invalidIndex}`;
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

/** Throws the reasons to refuse the action that need no question to Consul. */
export function requirePlausible(
  action: Action,
  shape: Shape,
  seen: SeenChangeCode,
  context: Pick<ActContext, 'roots'>,
): void {
  for (const name of namesOf(action)) requireInView(context, name);
  const where = strangeIn(shape, seen);
  if (where !== null) throw refusal('invalid', { code: 'not-of-plan', facts: { where: `expect.${where}` } });
}

/** The row, or its absence, as an entry. `seen` is compared in place of the index. */
export function expectEntry(key: string, row: KvRow | null, seen?: string): Entry {
  return {
    key,
    modifyIndex: row?.modifyIndex ?? null,
    createIndex: row?.createIndex ?? null,
    session: row?.session ?? null,
    ...(seen === undefined ? {} : { seen: fact(seen) }),
  };
}

/** Shortens a fact of more than `max` characters to its beginning and a digest. */
export function fact(text: string, max = seenLengthMax / 2): string {
  if (text.length <= max) return text;
  const start = text.slice(0, Math.min(200, max / 2));
  return `${start}… (${createHash('sha256').update(text).digest('hex')})`;
}

/** A short digest of everything that a session held. The order of `keys` does not matter. */
export function holdingsOf(keys: readonly string[]): NonNullable<SeenChangeCode['holdings']> {
  const digest = createHash('sha256')
    .update(JSON.stringify([...keys].sort()))
    .digest('hex');
  return { count: keys.length, digest };
}

/** The state of the session that a plan hits: its verdict as a party, and its holdings if the plan ends it. */
export const hitting = (
  sessionId: string,
  party: Party | null,
  held: readonly string[] | null,
): Omit<SeenChangeCode, 'entries'> => ({
  sessions: [sessionId],
  ...(party === null ? {} : { verdict: party.verdict }),
  ...(held === null ? {} : { holdings: holdingsOf(held) }),
});

function entryFor(seen: SeenChangeCode, key: string): Entry {
  const entry = seen.entries.find((e) => e.key === key);
  if (entry === undefined) throw refusal('invalid', { code: 'not-in-plan', facts: { name: key } });
  return entry;
}

/** The content of `seen`: the limit, or the full id of every ghost. */
type Fact = 'limit-changed' | 'ghosts-changed';

/**
 * The differences, one fact each; empty when the row is as expected. Throws `invalid` for a key that the plan did not
 * name.
 */
export function rowDifference(
  then: SeenChangeCode,
  key: string,
  row: KvRow | null,
  seen?: { readonly code: Fact; readonly now: string },
): Difference[] {
  const before = entryFor(then, key);
  if (before.modifyIndex === null && row !== null && before.seen === undefined)
    return [{ code: 'entry-came', facts: { key, index: row.modifyIndex } }];
  if (before.modifyIndex !== null && row === null) return [{ code: 'entry-gone', facts: { key } }];
  const difference: Difference[] = [];
  const session = row?.session ?? null;
  if (before.session !== session)
    difference.push({ code: 'holder-changed', facts: { key, before: before.session, now: session } });
  if (before.seen !== undefined) {
    const now = fact(seen?.now ?? '');
    if (before.seen !== now)
      difference.push({ code: seen?.code ?? 'limit-changed', facts: { before: before.seen, now } });
  } else if (row !== null && before.modifyIndex !== row.modifyIndex)
    difference.push({
      code: 'index-changed',
      facts: { key, before: before.modifyIndex, now: row.modifyIndex },
    });
  else if (row !== null && before.createIndex !== undefined && before.createIndex !== row.createIndex)
    difference.push({ code: 'entry-replaced', facts: { key } });
  return difference;
}

/** The difference between the keys that a session holds and those of the plan. */
export function holdingsDifference(
  seen: SeenChangeCode,
  sessionId: string,
  keys: readonly string[],
): Difference[] {
  if (!seen.sessions.includes(sessionId))
    throw refusal('invalid', { code: 'not-in-plan', facts: { name: sessionId } });
  const before = seen.holdings;
  if (before === undefined) throw refusal('invalid', { code: 'not-in-plan', facts: { name: sessionId } });
  const after = holdingsOf(keys);
  if (after.digest === before.digest) return [];
  return [
    {
      code: 'holdings-changed',
      facts: { sessionId, before: before.count, now: keys.length, keys: keys.slice(0, 5).join('\n') },
    },
  ];
}

/**
 * Differs when a target that was likely dead no longer is. A renewal or a recovered node changes no row, and the
 * operator agreed to act on a dead target. `verdict-lost`: the evidence of death is gone, as while health is
 * unreadable, but no sign of life was seen. `party`: the present one; `null`: it holds nothing, which other comparisons
 * report.
 */
export function verdictDifference({ verdict: before }: SeenChangeCode, party: Party | null): Difference[] {
  if (before === undefined || !likelyDead.has(before)) return [];
  if (party === null || likelyDead.has(party.verdict)) return [];
  const { sessionId, verdict: now } = party;
  const code = isSeenAlive(before, party.evidence) ? 'verdict-changed' : 'verdict-lost';
  return [{ code, facts: { sessionId, before, now } }];
}

/**
 * Throws `stale` if there is a difference, before anything is written. `isDone`: another request has already reached
 * the aim.
 */
export function requireUnchanged(difference: readonly Difference[], isDone = false): void {
  if (difference.length === 0) return;
  throw refusal('stale', { code: isDone ? 'done-before' : 'changed-since', facts: {} }, { difference });
}
