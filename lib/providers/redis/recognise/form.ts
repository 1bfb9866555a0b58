/** Recognises the form of a name. Pure, and strict, because any program may use these names. */
import { redissonIdOf } from '@/lib/providers/redis/client/names';
import type { NameRead, PermitRead } from '@/lib/providers/redis/client/reading';
import { isOver } from './lease';

export interface Permit {
  /** The permit's id, in hex. */
  readonly id: string;
  /** Epoch milliseconds; `null`: never. */
  readonly endMs: number | null;
}

export interface FasterOwner {
  /** A hash of the locked value, which cannot be recovered. */
  readonly field: string;
  readonly owner: string;
  readonly endMs: number | null;
  readonly count: number;
}

export type Form =
  | { readonly kind: 'lock'; readonly fair: boolean }
  | { readonly kind: 'read-write' }
  /** `owners`: the present ones, each once for every value that it locked. */
  | { readonly kind: 'faster-multi'; readonly owners: readonly FasterOwner[] }
  | { readonly kind: 'redlock' }
  | { readonly kind: 'permits'; readonly permits: readonly Permit[]; readonly free: string }
  | { readonly kind: 'semaphore'; readonly free: string | null }
  | { readonly kind: 'latch'; readonly free: string };

/** Hints on a name, from the configuration and from its listeners. */
export interface Told {
  readonly redlock: boolean;
  readonly semaphore: boolean;
  /** The kind of the channel on which clients wait. */
  readonly heard: 'lock' | 'read-write' | 'semaphore' | 'latch' | null;
}

export const toldNothing: Told = { redlock: false, semaphore: false, heard: null };

const integer = /^-?(?:0|[1-9]\d{0,18})$/;
const fasterField = /^[A-Za-z0-9+/_-]{22}={0,2}$/;
const fasterPart = /^.{22,24}:.+:(?:expire_time|lock_count)$/s;
/** About `Long.MAX_VALUE / 10000`, which Redisson stores for a permit without an end. */
const neverScore = 900_000_000_000_000;
/** Redlock's default token: 16 or 20 random bytes in hex; other clients write UUIDs. */
export const redlockToken = /^[0-9A-Za-z_-]{16,64}$/;

/** `null`: one id is no permit's, so the set belongs to another program. */
function permitsOf(read: readonly PermitRead[]): readonly Permit[] | null {
  const permits: Permit[] = [];
  for (const { id, score } of read) {
    const text = id.length === 32 ? id.toString('latin1') : '';
    const hex = id.length === 16 ? id.toString('hex') : /^[0-9a-f]{32}$/.test(text) ? text : null;
    const end = Number(score);
    if (hex === null || Number.isNaN(end)) return null;
    permits.push({ id: hex, endMs: end >= neverScore ? null : Math.round(end) });
  }
  return permits;
}

/** `<field> -> owner`, with `<field>:<owner>:expire_time` and `:lock_count` beside it. */
function fasterOf(fields: NameRead['fields']): readonly FasterOwner[] | null {
  const values = new Map(fields);
  const owners: FasterOwner[] = [];
  for (const [field, owner] of fields) {
    if (!fasterField.test(field)) continue;
    const count = Number(values.get(`${field}:${owner}:lock_count`) ?? '1');
    const end = Number(values.get(`${field}:${owner}:expire_time`) ?? Number.NaN);
    if (redissonIdOf(owner) === null) return null;
    owners.push({ field, owner, count: count > 0 ? count : 1, endMs: Number.isNaN(end) ? null : end });
  }
  const isOurs = fields.every(([field]) => fasterField.test(field) || fasterPart.test(field));
  return isOurs && owners.length > 0 ? owners : null;
}

const isHold = ([field, value]: NameRead['fields'][number]): boolean =>
  redissonIdOf(field) !== null && integer.test(value);

/**
 * True when these fields of a hash are all ones that Redisson writes, so that the others may show a form. Redis returns
 * a part of a hash in any order: of a FasterMultiLock perhaps the ends and counts without their owners.
 */
export const mayBeOurs = (fields: NameRead['fields']): boolean =>
  fields.every(
    ([field, value]) =>
      field === 'mode' ||
      fasterPart.test(field) ||
      (fasterField.test(field) && redissonIdOf(value) !== null) ||
      isHold([field, value]),
  );

const hasQueue = ({ queue, queueEnds }: NameRead): boolean =>
  queue.length > 0 && (queueEnds.size > 0 || queue.every((one) => redissonIdOf(one) !== null));

function formOfHash(read: NameRead, before: Form | null): Form | null {
  const { fields } = read;
  const faster = fasterOf(fields);
  if (faster !== null) {
    // Redisson leaves an owner whose time is over, and takes its value as free.
    const owners = faster.filter(
      ({ endMs }) => !isOver({ ttlMs: endMs === null ? null : endMs - read.serverMs }),
    );
    return { kind: 'faster-multi', owners };
  }
  const ids = fields.filter(([field]) => field !== 'mode');
  if (ids.length === 0 || !ids.every(isHold)) return null;
  const mode = fields.find(([field]) => field === 'mode')?.[1];
  if (mode !== undefined) return mode === 'read' || mode === 'write' ? { kind: 'read-write' } : null;
  const fair = hasQueue(read) || (before?.kind === 'lock' && before.fair);
  return { kind: 'lock', fair };
}

function formOfText(read: NameRead, hints: Told, before: Form | null): Form | null {
  const text = read.text?.toString('utf8') ?? '';
  if (hints.redlock) return redlockToken.test(text) ? { kind: 'redlock' } : null;
  if (!integer.test(text)) return hints.semaphore ? { kind: 'semaphore', free: null } : null;
  const permits = permitsOf(read.permits);
  if (permits !== null && (permits.length > 0 || before?.kind === 'permits'))
    return { kind: 'permits', permits, free: text };
  if (hints.semaphore || hints.heard === 'semaphore' || before?.kind === 'semaphore')
    return { kind: 'semaphore', free: text };
  return hints.heard === 'latch' || before?.kind === 'latch' ? { kind: 'latch', free: text } : null;
}

/** The form of a missing key, because Redisson keeps no key for a free lock. */
function formOfNothing(read: NameRead, hints: Told, before: Form | null): Form | null {
  if (hasQueue(read)) return { kind: 'lock', fair: true };
  if (hints.semaphore) return { kind: 'semaphore', free: null };
  if (before?.kind === 'lock' || before?.kind === 'read-write' || before?.kind === 'redlock') return before;
  if (hints.heard === 'lock') return { kind: 'lock', fair: false };
  return hints.heard === 'read-write' ? { kind: 'read-write' } : null;
}

/** `before`: the form at the last reading. `null`: the name is none of ours. */
export function formOf(
  read: NameRead,
  { told, before }: { readonly told: Told; readonly before: Form | null },
): Form | null {
  switch (read.type) {
    case 'hash':
      return formOfHash(read, before);
    case 'string':
      return formOfText(read, told, before);
    case 'none':
      return formOfNothing(read, told, before);
    default:
      return null;
  }
}
