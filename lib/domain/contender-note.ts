/**
 * A contender's own value in its entry. Clients may write anything or nothing, so every function answers `null` (or
 * false) for unknown.
 */
import type { StoredValue } from './model';

/** Longer ones are no names. */
const nameLengthMax = 64;

function member(value: StoredValue | null, name: string): unknown {
  if (value === null || value.encoding !== 'text' || value.truncated) return undefined;
  const { content } = value;
  // Most values are not JSON or lack the member.
  if (!content.startsWith('{') || !content.toLowerCase().includes(`"${name}"`)) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  return Object.entries(parsed).find(([key]) => key.toLowerCase() === name)?.[1];
}

/**
 * The JSON member `owner`, in any letter case. Names of hosts, nodes and sessions are no owners: many processes share
 * them.
 */
export function ownerWritten(value: StoredValue | null): string | null {
  const owner = member(value, 'owner');
  return typeof owner === 'string' && owner !== '' && owner.length <= nameLengthMax ? owner : null;
}

/** The JSON member `limit`, a whole number. */
export function limitWritten(value: StoredValue | null): number | null {
  const limit = member(value, 'limit');
  return typeof limit === 'number' && Number.isSafeInteger(limit) ? limit : null;
}

/** Several sessions of one acquire name the same group, as our own clients do. */
export function groupWritten(value: StoredValue | null): string | null {
  const group = member(value, 'group');
  return typeof group === 'string' && group !== '' ? group : null;
}

/**
 * Our own clients queue: each watches the one before it. `packages/locks/src/slots.ts` writes exactly this beginning.
 */
export function queuesInOrder(value: StoredValue | null): boolean {
  return value?.encoding === 'text' && value.content.startsWith('{"v":1,"group":');
}
