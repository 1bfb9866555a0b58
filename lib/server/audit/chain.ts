/**
 * The hash chain, as pure functions: what a row's digest is made of, and whether a stored row is the one that follows.
 * The text that is hashed is the text that is stored, so that nothing depends on how a database writes numbers or text.
 */
import { createHash } from 'node:crypto';
import { reasonLengthMax } from '@/lib/domain/actions/action';
import type { AuditEntry, AuditRow, Json } from '@/lib/domain/actions/audit';
import { identityKey } from '@/lib/domain/identity';

/** What stands before the first row. */
export const genesis = '0'.repeat(64);

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * JSON with the members of every object in the order of their names and no space, so that the same row is the same text.
 * `JSON.stringify` escapes what a database would refuse or change: NUL, and halves of surrogate pairs.
 */
export function canonical(value: Json | undefined): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value as { readonly [key: string]: Json | undefined })
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

/** A row as it is stored: its text, its digest, and what it is looked up by. */
export interface StoredRow {
  readonly seq: number;
  readonly at_ms: number;
  readonly kind: string;
  readonly thread: string;
  readonly person: string;
  readonly body: string;
  readonly digest: string;
}

/** The row that follows the one with digest `before`. */
export function link(
  entry: AuditEntry,
  place: Pick<AuditRow, 'seq' | 'atMs' | 'replica' | 'before'>,
): StoredRow {
  const { kind, thread, who, address, action, subjects, detail } = entry;
  const reason = entry.reason.trim().slice(0, reasonLengthMax);
  const row = { ...place, kind, thread, who: { ...who }, address, action, subjects, reason, detail };
  const body = canonical(row);
  return {
    seq: place.seq,
    at_ms: place.atMs,
    kind,
    thread,
    person: sha256(identityKey(who)),
    body,
    digest: sha256(body),
  };
}

/** The subjects of a row as they are looked up, each once. */
export const subjectKeys = (subjects: readonly string[]): string[] => [...new Set(subjects)].map(sha256);

/** The row that a stored text is. */
export function rowOf(stored: Pick<StoredRow, 'body' | 'digest'>): AuditRow {
  return { ...(JSON.parse(stored.body) as Omit<AuditRow, 'digest'>), digest: stored.digest };
}

/**
 * Whether this row is number `seq`, follows the row with digest `before`, and is unchanged, with everything that it is
 * looked up by.
 */
export function follows(
  stored: StoredRow & { readonly subjects: readonly string[] },
  seq: number,
  before: string,
): boolean {
  if (stored.seq !== seq || sha256(stored.body) !== stored.digest) return false;
  const row = rowOf(stored);
  return (
    row.seq === seq &&
    row.before === before &&
    row.atMs === stored.at_ms &&
    row.kind === stored.kind &&
    row.thread === stored.thread &&
    sha256(identityKey(row.who)) === stored.person &&
    subjectKeys(row.subjects).sort().join() === [...stored.subjects].sort().join()
  );
}

interface End {
  readonly seq: number;
  readonly digest: string;
}

export interface Tail {
  /** The last row that this process has seen. */
  last(): End;
  /** A row is in the store: it was written, or the whole chain was read up to it. */
  know(row: End): void;
  /** The end of the chain, or the row with the number of `before`, as it is now. `before`: the last row that was known then. */
  compare(now: End, before?: End): void;
  /** The first row that was cut off; `null`: none that this process knows of. */
  cutAt(): number | null;
  /** Another store took the place of the one before: nothing is known of it. */
  beOf(store: number): void;
}

export function createTail(onCut: (seq: number) => void): Tail {
  const none: End = { seq: 0, digest: genesis };
  let known = none;
  let cut: number | null = null;
  let of = 0;
  return {
    last: () => known,
    know: ({ seq, digest }) => {
      if (seq >= known.seq) known = { seq, digest };
    },
    compare: ({ seq, digest }, before = known) => {
      if (seq > before.seq || (seq === before.seq && digest === before.digest)) return;
      const first = seq < before.seq ? seq + 1 : seq;
      cut = Math.min(cut ?? first, first);
      // Said once for one cut: rows that were written since are known by themselves.
      if (known === before) known = { seq, digest };
      onCut(first);
    },
    cutAt: () => cut,
    beOf: (store) => {
      if (store === of) return;
      of = store;
      known = none;
      cut = null;
    },
  };
}
