/**
 * A scenario leaves entries on a real Consul below prefixes of its own, by the real program where there is one
 * (`real`), else written as that program's source does (`from source`).
 */
import type { ConsulClient } from '@/lib/providers/consul/client/client';
import type { TestConsul } from '@/test/support/consul';

export interface Stage {
  readonly consul: TestConsul;
  readonly client: ConsulClient;
  session(options?: SessionOptions): Promise<string>;
  /** Locks the key by the session, with these flags and value. */
  lock(key: string, session: string, entry?: { value?: string | Buffer; flags?: string }): Promise<void>;
  /** Writes a plain entry; any key at all, because it goes by a transaction. */
  put(key: string, value: string | Buffer, flags?: string): Promise<void>;
}

export interface SessionOptions {
  readonly name?: string;
  readonly ttlMs?: number | null;
  readonly behavior?: 'release' | 'delete';
  readonly lockDelayMs?: number;
  readonly checks?: readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly recorded: 'real' | 'from source';
  readonly prefixes: readonly string[];
  /** Makes it, and names the sessions in the order in which the fixture numbers them. `null`: cannot be made here. */
  make(stage: Stage): Promise<readonly string[] | null>;
}
