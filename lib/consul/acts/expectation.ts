/** What a plan saw, and how the present differs from it, in sentences an operator can read. */
import { createHash } from 'node:crypto';
import type { Row } from '@/lib/consul/wire';
import { type Expect, seenLengthMax } from '@/lib/domain/action';
import { shortId } from '@/lib/domain/model';
import { refusal } from './fresh';

type Entry = Expect['entries'][number];

/** The row as it is, or its absence. With `seen`, a fact written `name: value`, that is compared and not the index. */
export function expectEntry(key: string, row: Row | null, seen?: string): Entry {
  return {
    key,
    modifyIndex: row?.modifyIndex ?? null,
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
  if (entry === undefined) throw refusal('invalid', `The plan did not look at ${key}. Plan again.`);
  return entry;
}

const holder = (session: string | null) => (session === null ? 'nobody' : shortId(session));

const uuids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** Facts are written `name: value`. Session ids are told in full to the machine, and shortened for people. */
function factDifference(before: string, now: string): string {
  const [name = '', was = ''] = before.split(/: (.*)/s);
  const is = now.split(/: (.*)/s)[1] ?? now;
  return `${name} was ${was}, is ${is} now`.replace(uuids, shortId);
}

/** One fact a line; empty when the row is as expected. Throws `invalid` when the plan never named the key. */
export function rowDifference(expect: Expect, key: string, row: Row | null, seen?: string): string[] {
  const before = entryFor(expect, key);
  if (before.modifyIndex === null && row !== null && before.seen === undefined)
    return [`${key} did not exist, has index ${row.modifyIndex} now`];
  if (before.modifyIndex !== null && row === null) return [`${key} was there, is gone now`];
  const difference: string[] = [];
  const session = row?.session ?? null;
  if (before.session !== session)
    difference.push(`holder was ${holder(before.session)}, is ${holder(session)} now`);
  if (before.seen !== undefined) {
    const now = fact(seen ?? '');
    if (before.seen !== now) difference.push(factDifference(before.seen, now));
  } else if (row !== null && before.modifyIndex !== row.modifyIndex)
    difference.push(`index was ${before.modifyIndex}, is ${row.modifyIndex} now`);
  return difference;
}

/** How the keys that a session holds differ from those that the plan showed. */
export function holdingsDifference(expect: Expect, sessionId: string, keys: readonly string[]): string[] {
  if (!expect.sessions.includes(sessionId))
    throw refusal('invalid', `The plan did not look at session ${shortId(sessionId)}. Plan again.`);
  const before = expect.holdings;
  if (before === undefined)
    throw refusal('invalid', 'The plan did not look at what the session holds. Plan again.');
  const after = holdingsOf(keys);
  if (after.digest === before.digest) return [];
  const named = keys.slice(0, 5).join(', ') + (keys.length > 5 ? ', …' : '');
  return [
    `session ${shortId(sessionId)} held ${before.count} ${before.count === 1 ? 'key' : 'keys'}, ` +
      (keys.length === 0 ? 'holds none now' : `holds ${keys.length} now: ${named}`),
  ];
}

/** Throws `stale` unless there is no difference. Nothing has been written at that time. */
export function requireUnchanged(difference: readonly string[]): void {
  if (difference.length > 0)
    throw refusal('stale', 'It changed since you looked, so nothing was written.', difference);
}
