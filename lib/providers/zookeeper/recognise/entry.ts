/**
 * A node that a client made to hold or to wait, recognised by its name. Curator's names are those of
 * `CreateBuilderImpl` (protection), `LockInternals`, `LeaderLatch`, `InterProcessReadWriteLock` and
 * `InterProcessSemaphoreV2` of 5.9.0.
 */
import type { ZkNode } from '@/lib/providers/zookeeper/client/node';

export type EntryKind = 'lock' | 'latch' | 'lease' | 'read' | 'write' | 'other';

export interface Entry {
  readonly kind: EntryKind;
  /** The last part of the path, which names the party. One session may have several. */
  readonly name: string;
  /** The part after the recipe's name: ten digits, or a sign and nine or ten once the 32-bit counter has wrapped. */
  readonly sequence: string;
  readonly node: ZkNode;
}

const sequence = '(\\d{10}|-\\d{9,10})';
const curator = new RegExp(
  `^_c_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-(lock-|latch-|lease-|__READ__|__WRIT__)${sequence}$`,
);
/** Most names end with a hyphen before the number, so only a second hyphen is its sign. */
const sequential = /(?:(?<=-)-\d{9,10}|\d{10})$/;

const kinds: Readonly<Record<string, EntryKind>> = {
  'lock-': 'lock',
  'latch-': 'latch',
  'lease-': 'lease',
  __READ__: 'read',
  __WRIT__: 'write',
};

/** True when a node of this name may hold or wait. */
export const mayBeEntry = (name: string): boolean => sequential.test(name);

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** `null`: no session's end deletes the node, or its name has no sequence. */
export function entryOf(node: ZkNode): Entry | null {
  if (node.stat.ephemeralOwner === '0') return null;
  const name = nameOf(node.path);
  const [, recipe = '', digits] = curator.exec(name) ?? [];
  if (digits !== undefined) return { kind: kinds[recipe] ?? 'other', name, sequence: digits, node };
  const tail = sequential.exec(name)?.[0];
  return tail === undefined ? null : { kind: 'other', name, sequence: tail, node };
}

/** Compares decimal numbers of 64 bits, as text. */
const byNumber = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);

export const byCreation = (a: Entry, b: Entry): number => byNumber(a.node.stat.czxid, b.node.stat.czxid);

/**
 * The order in which clients get the lock. Curator compares the digits as text (`LockInternals.getSortedChildren`), so
 * names with a sign come first after 2147483647. Its clients act on that order. A writer that also reads has one number
 * for both, and its write comes first.
 */
export function byTurn(a: Entry, b: Entry): number {
  if (a.sequence !== b.sequence) return a.sequence < b.sequence ? -1 : 1;
  if (a.kind !== b.kind && a.kind === 'write') return -1;
  if (a.kind !== b.kind && b.kind === 'write') return 1;
  return byCreation(a, b);
}
