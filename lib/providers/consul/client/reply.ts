/** What calls to Consul take, and the answer of a read. */

import { ConsulError } from './errors';

export interface ReadOptions {
  /** `consistent` for reads that feed a write; `stale` works without a leader. */
  readonly consistency?: 'default' | 'consistent' | 'stale';
  /** Waits up to `waitMs` for a higher index (Consul adds up to a sixteenth). */
  readonly block?: { readonly index: string; readonly waitMs: number };
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Called when the answer has begun. */
  readonly onHead?: () => void;
}

export interface SessionRequest {
  readonly name: string;
  /** 10 s to 24 h, or `null` for none. Consul refuses others with status 500. */
  readonly ttlMs: number | null;
  readonly behavior: 'release' | 'delete';
  readonly lockDelayMs: number;
  /** Empty: no check ends the session. Default: the node's `serfHealth`. */
  readonly checks?: readonly string[];
  readonly node?: string;
}

export interface Reply<T> {
  readonly value: T;
  /** `null` if Consul sent none. Opaque, except that a lower index means a new start. */
  readonly index: string | null;
  /** The time since the answering server last heard from the leader. */
  readonly lastContactMs: number | null;
  readonly knownLeader: boolean | null;
  /** Consul left out what the token may not read. Only 1.11 and later report it, so `false` proves nothing. */
  readonly filtered: boolean;
}

/** Gives `none` for status 404. The package throws where there are no keys, but not where there are no rows. */
export const noneFor404 =
  <T>(value: T) =>
  (error: unknown): Reply<T> => {
    if (!(error instanceof ConsulError) || error.status !== 404) throw error;
    return { value, index: null, lastContactMs: null, knownLeader: null, filtered: false };
  };
