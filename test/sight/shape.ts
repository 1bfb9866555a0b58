/** A world by chance, as its test sees it. */

/** A session that has ended, and its holds: a lock-delay reveals both. */
export interface Ended {
  readonly id: string;
  readonly name: string;
  readonly node: string;
  readonly keys: readonly string[];
}

/** All that is there, and that will be, to make rules about. */
export interface World {
  /** The words to look for in bytes. */
  readonly words: ReadonlySet<string>;
  readonly ids: ReadonlySet<string>;
  readonly lockKeys: ReadonlySet<string>;
  readonly semaphores: ReadonlySet<string>;
  readonly ended: readonly Ended[];
  /** Changes much at once, each thing at most once. */
  step(): Promise<void>;
  /** Rules for one token. */
  policy(): string;
  clear(): Promise<void>;
}

export interface Live {
  readonly id: string;
  readonly name: string;
  readonly node: string;
  readonly behavior: 'release' | 'delete';
  readonly locks: Set<string>;
}

export interface Ring {
  limit: number;
  recorded: string[];
  /** Contends under its own name. */
  readonly contenders: Set<string>;
  readonly isWritten: boolean;
  /** Of its record. */
  readonly flags: string;
  /** Whether all who contend have its flags, or some have those of Go's client. */
  readonly contend: 'alike' | 'mixed';
  /** Several of its contenders have this name. */
  readonly owner: string;
}

export interface Node {
  readonly name: string;
  readonly checks: { id: string; name: string; service: string }[];
}

/** Every name that may be hidden has a word of this kind in it. */
export const wordPattern = /zq[0-9a-z]{8}/g;
