/**
 * A token's view of the world that the server reads: Consul's answers about keys, sessions and nodes. An unanswered
 * right counts as missing.
 */
export interface Sight {
  /** `key:read` on this key. */
  key(key: string): boolean;
  /** `key:read` on the contenders of the semaphore: it covers every entry that no rule names. */
  contenders(prefix: string): boolean;
  /** `session:read` on this node. */
  sessions(node: string): boolean;
  /** `node:read` on this node and `service:read` on its services: their health. */
  health(node: string): boolean;
  /** Every key, session and node that no rule names. */
  readonly whole: boolean;
  /** Changes with every changed answer. */
  readonly generation: number;
}
