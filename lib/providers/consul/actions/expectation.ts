/** What a plan saw: its form, what each action's plan can see, and how the present differs from it. */
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
 * Consul's form of what a plan saw: one row for every entry that the action depends on, with its index and its locking
 * session. A `null` index: the entry did not exist.
 *
 * A busy coordination entry changes with every client, so an action that insisted on its index could never be applied.
 * Such a row carries in `seen` the facts behind the operator's decision (the limit, the ghosts), which are compared
 * instead; the write itself is still conditional on a fresh index.
 */
export const seenSchema = z.strictObject({
  entries: z
    .array(
      z.strictObject({
        key,
        modifyIndex: z.nullable(index),
        /** Compared beside the index: after a restore another entry may have an equal one. Older plans lack it. */
        createIndex: z.optional(z.nullable(index)),
        session: z.nullable(sessionId),
        /** Compared instead of the index where present. */
        seen: z.optional(z.string().max(seenLengthMax)),
      }),
    )
    .max(expectEntriesMax),
  /**
   * The target's verdict in the plan. A target that was likely dead and works again is refused, because no index shows
   * that.
   */
  verdict: z.optional(z.enum(verdicts)),
  /** Sessions that must still exist. */
  sessions: z.array(sessionId).max(64),
  /** Everything that the session to destroy held, compared because a destroy cannot be conditional. */
  holdings: z.optional(z.strictObject({ count: z.int().min(0), digest: z.string().max(64) })),
});

export type SeenChangeCode = z.infer<typeof seenSchema>;

type Entry = SeenChangeCode['entries'][number];

/** Throws `invalid` for what has another form. */
export function seenIn(expect: Expect): SeenChangeCode {
  const { data, error } = seenSchema.safeParse(expect);
  if (data !== undefined) return data;
  const where = ['expect', ...(error.issues[0]?.path ?? [])].join('.');
  throw refusal('invalid', { code: 'request-not-understood', facts: { where } });
}

/** The same for those above the seam. */
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
 * What a plan of one action can have seen. The audit keeps what a request says that it saw, so what no plan gives is refused
 * before it gets there, without asking Consul.
 */
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

/** Throws what is known against it without asking Consul. */
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

/** The row as it is, or its absence. With `seen`, that is compared and not the index. */
export function expectEntry(key: string, row: KvRow | null, seen?: string): Entry {
  return {
    key,
    modifyIndex: row?.modifyIndex ?? null,
    createIndex: row?.createIndex ?? null,
    session: row?.session ?? null,
    ...(seen === undefined ? {} : { seen: fact(seen) }),
  };
}

/** A fact of any length as one that fits: long ones keep their beginning and a digest of the whole. */
export function fact(text: string): string {
  if (text.length <= seenLengthMax / 2) return text;
  return `${text.slice(0, 200)}… (${createHash('sha256').update(text).digest('hex')})`;
}

/** Everything that a session held, short enough to send along. The order of `keys` does not matter. */
export function holdingsOf(keys: readonly string[]): NonNullable<SeenChangeCode['holdings']> {
  const digest = createHash('sha256')
    .update(JSON.stringify([...keys].sort()))
    .digest('hex');
  return { count: keys.length, digest };
}

/** What a plan saw of the session that it hits: its verdict where it holds something, and all keys that it held where it ends. */
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

/** What a row carries in `seen`: the limit, or every ghost by its whole id. */
type Fact = 'limit-changed' | 'ghosts-changed';

/** One fact each; empty when the row is as expected. Throws `invalid` when the plan never named the key. */
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

/** How the keys that a session holds differ from those that the plan showed. */
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
 * Whether one that was likely dead is so no more. A renewal, or a node that recovers, changes no row, and what the plan asked of the
 * operator was for a dead one. So it is where nothing says any more that it is dead, as while health cannot be read; that is told
 * apart. `party`: as it is now, `null` for one that holds nothing any more, of which others tell.
 */
export function verdictDifference({ verdict: before }: SeenChangeCode, party: Party | null): Difference[] {
  if (before === undefined || !likelyDead.has(before)) return [];
  if (party === null || likelyDead.has(party.verdict)) return [];
  const { sessionId, verdict: now } = party;
  const code = isSeenAlive(before, party.evidence) ? 'verdict-changed' : 'verdict-lost';
  return [{ code, facts: { sessionId, before, now } }];
}

/**
 * Throws `stale` unless there is no difference. Nothing has been written at that time. `isDone`: what was asked for is so
 * already, and each of those who asked learns that it was not their own request.
 */
export function requireUnchanged(difference: readonly Difference[], isDone = false): void {
  if (difference.length === 0) return;
  throw refusal('stale', { code: isDone ? 'done-before' : 'changed-since', facts: {} }, { difference });
}
