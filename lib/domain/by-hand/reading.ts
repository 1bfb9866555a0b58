/** Reads the same by hand: what the copy menu gives out. The browser writes it, because a clipboard takes text only as the key is pressed. */
import { recordKey } from '@/lib/domain/layout';
import type { Lock, Semaphore, Session } from '@/lib/domain/model';
import type { SourceState } from '@/lib/domain/source-state';
import { addressable } from './addressable';
import { bareIntegers, curl } from './command';

/** The nearest folder above that a path can name; '' for everything. */
function folderAbove(key: string): string {
  for (let at = key.lastIndexOf('/', key.length - 2); at > 0; at = key.lastIndexOf('/', at - 1))
    if (addressable(key.slice(0, at + 1))) return key.slice(0, at + 1);
  return '';
}

/** `place`: the backend that Signalbox reads. */
export function readingCommand(
  of: Lock | Semaphore | Session,
  { origin, datacenter, across }: Pick<SourceState, 'origin' | 'datacenter' | 'across'>,
): string {
  const other = across === undefined ? undefined : (datacenter ?? undefined);
  const agent = { origin, token: true, tls: [], datacenter: other };
  if (!('kind' in of)) return curl(agent, { path: `/v1/session/info/${encodeURIComponent(of.id)}` });
  const name = of.kind === 'lock' ? of.key : `${of.prefix}/`;
  // Neither a path nor a transaction may name it, so the list above it shows it.
  const key = of.unwritable ? folderAbove(name) : name;
  if (key !== '' && !addressable(key)) {
    const verb = of.kind === 'lock' ? 'get' : 'get-tree';
    return curl(agent, { path: '/v1/txn', put: JSON.stringify([{ KV: { Verb: verb, Key: key } }]) });
  }
  const ask = of.kind === 'lock' && !of.unwritable ? 'consistent' : 'recurse&consistent';
  return curl(agent, { path: `/v1/kv/${key}?${ask}` });
}

/** Flags and indexes are decimal text until they are printed. A check ignores flags; a write needs them. */
function operationsOf(of: Lock | Semaphore): readonly Readonly<Record<string, string>>[] {
  if (of.kind === 'lock') {
    const { key: Key, exists, modifyIndex: Index = '0', flags: Flags = '0', holder } = of;
    if (!exists) return [{ Verb: 'check-not-exists', Key }];
    return [
      { Verb: 'check-index', Key, Index, Flags },
      ...(holder === null ? [] : [{ Verb: 'check-session', Key, Session: holder.sessionId }]),
      { Verb: 'get', Key },
    ];
  }
  const { prefix, modifyIndex: Index = null, flags: Flags = null } = of;
  const Key = recordKey(of);
  const entry =
    Index === null
      ? { Verb: 'check-not-exists', Key }
      : { Verb: 'check-index', Key, Index, ...(Flags === null ? {} : { Flags }) };
  return [entry, { Verb: 'get-tree', Key: `${prefix}/` }];
}

/**
 * The body of `PUT /v1/txn` that reads the shown state, and fails once it has changed. A lock: its entry, if index and
 * session are unchanged. A semaphore: all its entries, if its coordination entry is.
 */
export function readingTransaction(of: Lock | Semaphore): string {
  // Line breaks within a key are escaped, so only those of the layout are replaced.
  const lines = operationsOf(of).map((op) => JSON.stringify({ KV: op }, null, 1).replace(/\n */g, ' '));
  return bareIntegers(`[\n  ${lines.join(',\n  ')}\n]\n`);
}
