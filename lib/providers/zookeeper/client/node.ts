/**
 * What ZooKeeper stores, and what may be asked of it: the boundary between the client and everything that knows recipes.
 * Paths are absolute and within the source's chroot. Ids are text: a session id and a zxid have 64 bits.
 */
import type { Problem } from '@/lib/domain/problem';

export interface ZkStat {
  /** The transaction that made the node, in decimal: no two nodes share one, so it tells a node from its successor. */
  readonly czxid: string;
  readonly mzxid: string;
  /** By the server's clock. */
  readonly ctimeMs: number;
  readonly mtimeMs: number;
  /** Of the data. */
  readonly version: number;
  /** Of the list of children. */
  readonly cversion: number;
  /** The session whose end deletes it, in hex without `0x`; '0' for every other node, containers included. */
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

/** A write, or a condition on one. `version` is the data's; it is always compared, so there is no -1. */
export type ZkOp =
  | { readonly op: 'check' | 'delete'; readonly path: string; readonly version: number }
  | { readonly op: 'setData'; readonly path: string; readonly version: number; readonly data: Buffer };

/** The server carried nothing out. `at`: the first operation at fault. Rights that are missing are a `Problem`. */
export interface ZkRefused {
  readonly refused: 'no-node' | 'bad-version' | 'not-empty' | 'other';
  readonly at: number;
}

export const isRefused = (result: unknown): result is ZkRefused =>
  typeof result === 'object' && result !== null && 'refused' in result;

/**
 * Reads and writes. A failure is a `Problem`: `unavailable` where nothing was sent, `unknown-result` where a write was sent
 * and its answer lost, `forbidden` where the credential may not. Nothing is retried once it was sent.
 */
export interface ZkClient {
  /** `null`: there is no such node. */
  read(path: string, signal: AbortSignal): Promise<ZkNode | null | Problem>;
  /**
   * A node and all below it, as the leader has it (`sync` first). Empty: there is no such node. A node that goes or comes
   * meanwhile is in it or not. `zookeeper-too-much` beyond `nodesMax`.
   */
  subtree(path: string, nodesMax: number, signal: AbortSignal): Promise<ZkTree | Problem>;
  /** All or nothing, in one transaction. */
  multi(ops: readonly ZkOp[], signal: AbortSignal): Promise<'done' | ZkRefused | Problem>;
}

/** A session as the servers' administrative pages show it. */
export interface ZkSession {
  /** In hex without `0x`, as `ephemeralOwner`. */
  readonly id: string;
  /** The client's `host:port`. */
  readonly address: string | null;
  /** As negotiated. */
  readonly timeoutMs: number | null;
  /** The server last heard of it then or before, on our clock; `null`: unknown. */
  readonly lastContactMs: number | null;
}

/** What is known beside the tree. */
export interface ZkFacts {
  /** Prefix of a semaphore to the path of its shared count, as configured. */
  readonly counts: ReadonlyMap<string, string>;
  /** By id, of all servers whose administrative page answered. `null`: none is configured, or none did. */
  readonly sessions: ReadonlyMap<string, ZkSession> | null;
  /** There is a page of every server, and each answered. Without that a session's absence says nothing. */
  readonly sessionsWhole: boolean;
  /** Which sessions watch a node's data, by its path. `null`: unknown. */
  readonly watchers: ReadonlyMap<string, ReadonlySet<string>> | null;
}
