/**
 * What one token may see of the world that the server reads with its own: Consul's answers about keys, sessions and nodes. A right
 * that was not answered is no right.
 */
export interface Sight {
  /** `key:read` on this key. */
  key(key: string): boolean;
  /** `key:read` on whatever contends for the semaphore: whoever has it is kept from no entry that no rule names. */
  contenders(prefix: string): boolean;
  /** `session:read` on this node: the sessions that were made on it. */
  sessions(node: string): boolean;
  /** `node:read` on this node, and `service:read` on what runs there: its health, and that of its checks. */
  health(node: string): boolean;
  /** Every key, session and node that no rule names. */
  readonly whole: boolean;
  /** Another one whenever an answer is another one. */
  readonly generation: number;
}
