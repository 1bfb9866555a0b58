/**
 * The nodes of ZooKeeper, and the requests on them: the boundary between the client and all code that knows recipes.
 * Paths are absolute within the source's chroot. Session ids and zxids have 64 bits, and so are text.
 */
import type { Problem } from '@/lib/domain/problem';

export interface ZkStat {
  /** The transaction that made the node, in decimal. It tells a node from its successor of the same name. */
  readonly czxid: string;
  readonly mzxid: string;
  /** By the server's clock. */
  readonly ctimeMs: number;
  readonly mtimeMs: number;
  /** The version of the data. */
  readonly version: number;
  /** The version of the list of children. */
  readonly cversion: number;
  /** The session whose end deletes the node, in hex without `0x`; '0' for every other node, containers included. */
  readonly ephemeralOwner: string;
  readonly numChildren: number;
}

export interface ZkNode {
  readonly path: string;
  readonly data: Buffer;
  readonly stat: ZkStat;
}

/** Nodes by their path. */
export type ZkTree = ReadonlyMap<string, ZkNode>;

/** A write, or a condition on one. `version` is the data's, and is always compared, so -1 is not allowed. */
export type ZkOp =
  | { readonly op: 'check' | 'delete'; readonly path: string; readonly version: number }
  | { readonly op: 'setData'; readonly path: string; readonly version: number; readonly data: Buffer };

/** The server carried nothing out. `at`: the first operation at fault. Missing rights are a `Problem`. */
export interface ZkRefused {
  readonly refused: 'no-node' | 'bad-version' | 'not-empty' | 'other';
  readonly at: number;
}

export const isRefused = (result: unknown): result is ZkRefused =>
  typeof result === 'object' && result !== null && 'refused' in result;

/**
 * Reads and writes. A failure is a `Problem`: `unavailable` when nothing was sent, `unknown-result` when the answer to
 * a write is lost, `forbidden` when the credential lacks the right. A sent request is never retried.
 */
export interface ZkClient {
  /** `null`: there is no such node. */
  read(path: string, signal: AbortSignal): Promise<ZkNode | null | Problem>;
  /**
   * A node and all below it, as the leader has it (`sync` first). Empty: no such node. Nodes that come or go meanwhile
   * may be missing. `zookeeper-too-much` beyond `nodesMax`.
   */
  subtree(path: string, nodesMax: number, signal: AbortSignal): Promise<ZkTree | Problem>;
  /** All or nothing, in one transaction. */
  multi(ops: readonly ZkOp[], signal: AbortSignal): Promise<'done' | ZkRefused | Problem>;
}

/** A session on the servers' administrative pages. */
export interface ZkSession {
  /** In hex without `0x`, as `ephemeralOwner`. */
  readonly id: string;
  /** The client's `host:port`. */
  readonly address: string | null;
  /** As negotiated. */
  readonly timeoutMs: number | null;
  /** The server heard of it then at the latest, on our clock; `null`: unknown. */
  readonly lastContactMs: number | null;
}

/** Knowledge beside the tree. */
export interface ZkFacts {
  /** The configured path of the shared count, by the semaphore's prefix. */
  readonly counts: ReadonlyMap<string, string>;
  /** Sessions by id, from all pages that answered. `null`: no page is configured, or none answered. */
  readonly sessions: ReadonlyMap<string, ZkSession> | null;
  /** True when every server has a page and each answered. Otherwise a missing session proves nothing. */
  readonly sessionsWhole: boolean;
  /** The sessions that watch a node's data, by its path. `null`: unknown. */
  readonly watchers: ReadonlyMap<string, ReadonlySet<string>> | null;
}
