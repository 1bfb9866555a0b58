/**
 * ZooKeeper's own record of all writes: its transaction logs (`FileTxnLog`, `zookeeper.jute`). They name the session
 * that made or removed each node, which no client can see.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Txn {
  readonly zxid: bigint;
  /** Epoch milliseconds by the leader's clock. */
  readonly atMs: number;
  /** In hex, as `0x…`. */
  readonly session: string;
  readonly what: 'create' | 'delete' | 'close';
  /** '' for `close`, which removes all ephemeral nodes of its session. */
  readonly path: string;
  /** For `create`: true when the node ends with its session. */
  readonly isEphemeral: boolean;
}

const headBytes = 16;
const types = { create: [1, 15], container: [19, 21], delete: [2, 20], multi: 14, close: -11 } as const;

interface At {
  at: number;
}

function textAt(bytes: Buffer, place: At): string {
  const length = Math.max(0, bytes.readInt32BE(place.at));
  const text = bytes.toString('utf8', place.at + 4, place.at + 4 + length);
  place.at += 4 + length;
  return text;
}

/** The creations and deletions in one transaction. Changes and checks are left out. */
function partsOf(type: number, body: Buffer): Pick<Txn, 'what' | 'path' | 'isEphemeral'>[] {
  const place = { at: 0 };
  if (type === types.close) return [{ what: 'close', path: '', isEphemeral: false }];
  if ((types.delete as readonly number[]).includes(type))
    return [{ what: 'delete', path: textAt(body, place), isEphemeral: false }];
  if ((types.container as readonly number[]).includes(type))
    return [{ what: 'create', path: textAt(body, place), isEphemeral: false }];
  if ((types.create as readonly number[]).includes(type)) {
    const path = textAt(body, place);
    textAt(body, place);
    const rights = Math.max(0, body.readInt32BE(place.at));
    place.at += 4;
    for (let n = 0; n < rights; n += 1) {
      place.at += 4;
      textAt(body, place);
      textAt(body, place);
    }
    return [{ what: 'create', path, isEphemeral: body.readUInt8(place.at) !== 0 }];
  }
  if (type !== types.multi) return [];
  const parts: Pick<Txn, 'what' | 'path' | 'isEphemeral'>[] = [];
  let count = body.readInt32BE(0);
  place.at = 4;
  for (; count > 0; count -= 1) {
    const part = body.readInt32BE(place.at);
    const length = Math.max(0, body.readInt32BE(place.at + 4));
    place.at += 8;
    // An error in one part means that nothing of the transaction was done.
    if (part === -1) return [];
    parts.push(...partsOf(part, body.subarray(place.at, place.at + length)));
    place.at += length;
  }
  return parts;
}

function readLog(bytes: Buffer): Txn[] {
  const txns: Txn[] = [];
  for (let at = headBytes; at + 12 <= bytes.length; ) {
    const length = bytes.readInt32BE(at + 8);
    // The rest is preallocated, and not written.
    if (length <= 0 || at + 12 + length > bytes.length) break;
    const txn = bytes.subarray(at + 12, at + 12 + length);
    const session = `0x${txn.readBigUInt64BE(0).toString(16)}`;
    const [zxid, atMs, type] = [txn.readBigInt64BE(12), Number(txn.readBigInt64BE(20)), txn.readInt32BE(28)];
    for (const part of partsOf(type, txn.subarray(32))) txns.push({ zxid, atMs, session, ...part });
    at += 12 + length + 1;
  }
  return txns;
}

/**
 * All writes of an ensemble, in its order. Call it once all servers follow: a server that was away then drops writes
 * without a quorum, and gets those that it lacks.
 */
export function readTxns(folders: readonly string[]): readonly Txn[] {
  const all = new Map<bigint, Txn[]>();
  for (const folder of folders)
    for (const file of readdirSync(folder).filter((name) => name.startsWith('log.'))) {
      const own = new Map<bigint, Txn[]>();
      for (const txn of readLog(readFileSync(join(folder, file))))
        own.set(txn.zxid, [...(own.get(txn.zxid) ?? []), txn]);
      for (const [zxid, txns] of own) all.set(zxid, txns);
    }
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, txns]) => txns);
}
