/**
 * The hash chain, as pure functions. The hashed text is the stored text, so a database's way of writing numbers does
 * not matter.
 */
import { createHash } from 'node:crypto';
import { reasonLengthMax } from '@/lib/domain/actions/action';
import type { AuditEntry, AuditRow, Json } from '@/lib/domain/actions/audit';
import { identityKey } from '@/lib/domain/identity';

export const genesis = '0'.repeat(64);

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * JSON with sorted members and no space. `JSON.stringify` escapes what a database would refuse or change: NUL and lone
 * surrogates.
 */
export function canonical(value: Json | undefined): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value as { readonly [key: string]: Json | undefined })
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

export interface StoredRow {
  readonly seq: number;
  readonly at_ms: number;
  readonly kind: string;
  readonly thread: string;
  readonly person: string;
  readonly body: string;
  readonly digest: string;
}

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

/** The lookup keys of a row's subjects. */
export const subjectKeys = (subjects: readonly string[]): string[] => [...new Set(subjects)].map(sha256);

export function rowOf(stored: Pick<StoredRow, 'body' | 'digest'>): AuditRow {
  return { ...(JSON.parse(stored.body) as Omit<AuditRow, 'digest'>), digest: stored.digest };
}

/** True when this row is number `seq`, follows `before`, and is unchanged, including its lookup columns. */
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
  last(): End;
  /** This process wrote the row, or read the chain up to it. */
  know(row: End): void;
  /** `now`: the end of the chain, or the row numbered as `before`. */
  compare(now: End, before?: End): void;
  /** `null`: no row is known to be missing. */
  cutAt(): number | null;
  /** Another store took the place of the known one. */
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
      // Reports one cut once, and keeps rows that were written since.
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
