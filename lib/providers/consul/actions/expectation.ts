/** What a plan saw, and how the present differs from it. */
import { createHash } from 'node:crypto';
import { type Expect, seenLengthMax } from '@/lib/domain/actions/action';
import { likelyDead, type Party } from '@/lib/domain/model';
import type { Difference } from '@/lib/domain/refusal';
import { isSeenAlive } from '@/lib/domain/seen-alive';
import type { Row } from '@/lib/providers/consul/client/wire';
import { refusal } from './consistent-read';

type Entry = Expect['entries'][number];

/** The row as it is, or its absence. With `seen`, that is compared and not the index. */
export function expectEntry(key: string, row: Row | null, seen?: string): Entry {
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
export function holdingsOf(keys: readonly string[]): NonNullable<Expect['holdings']> {
  const digest = createHash('sha256')
    .update(JSON.stringify([...keys].sort()))
    .digest('hex');
  return { count: keys.length, digest };
}

function entryFor(expect: Expect, key: string): Entry {
  const entry = expect.entries.find((e) => e.key === key);
  if (entry === undefined) throw refusal('invalid', { code: 'not-in-plan', facts: { name: key } });
  return entry;
}

/** What a row carries in `seen`: the limit, or every ghost by its whole id. */
export type Seen = 'limit-changed' | 'ghosts-changed';

/** One fact each; empty when the row is as expected. Throws `invalid` when the plan never named the key. */
export function rowDifference(
  expect: Expect,
  key: string,
  row: Row | null,
  seen?: { readonly code: Seen; readonly now: string },
): Difference[] {
  const before = entryFor(expect, key);
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
export function holdingsDifference(expect: Expect, sessionId: string, keys: readonly string[]): Difference[] {
  if (!expect.sessions.includes(sessionId))
    throw refusal('invalid', { code: 'not-in-plan', facts: { name: sessionId } });
  const before = expect.holdings;
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
export function verdictDifference({ verdict: before }: Expect, party: Party | null): Difference[] {
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
