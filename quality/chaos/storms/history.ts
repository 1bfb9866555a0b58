/**
 * The events of a storm as reported by clients of the real library, and by an operator who uses Signalbox. Epoch
 * milliseconds.
 */

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One hold, as its client has it. */
export interface Hold {
  /** The lock, or the semaphore. */
  readonly place: string;
  /**
   * The name of the hold on the server and in Signalbox: a party, a permit, a node. '': the client never learned it.
   */
  readonly who: string;
  /** True when others may hold it, too. */
  readonly shared: boolean;
  readonly askedMs: number;
  /** When the client learned that it holds; `null`: never. */
  readonly fromMs: number | null;
  /** When the client asked to let go, or was killed. */
  readonly letMs: number;
  readonly endMs: number;
  /**
   * - `released`, `lost`: the server's answer.
   * - `unsaid`: let go, where the library answers the same for a lost hold.
   * - `unsure`: the server did not answer.
   * - `killed`: its client was killed.
   */
  readonly end: 'released' | 'lost' | 'unsaid' | 'unsure' | 'killed';
  /** The lease of a permit that differs from that of the others. */
  readonly leaseMs?: number;
}

/** One action, as planned and applied. */
export interface Deed extends Span {
  readonly kind: 'evict' | 'waiter' | 'sweep' | 'limit' | 'return' | 'wake' | 'ask';
  readonly place: string;
  /** The names that its plan would remove, as `Hold.who`. */
  readonly who: readonly string[];
  readonly limit?: number;
  readonly permits?: number;
  /** The targets of the writes in its plan. */
  readonly targets: readonly string[];
  /** The outcome that Signalbox reported. */
  readonly told: 'done' | 'unknown' | 'refused';
}

export const touches = (one: Span, other: Span): boolean =>
  one.fromMs <= other.toMs && other.fromMs <= one.toMs;

export const below = (n: number): number => Math.floor(Math.random() * n);
export const any = <T>(all: readonly T[]): T | undefined => all[below(all.length)];
export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
/** Mostly short work. Some is long enough to be seen, planned for and acted on. */
export const work = () => pause(below(4) === 0 ? 200 + below(800) : below(40));
