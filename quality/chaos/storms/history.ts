/** What happened in a storm, as those say it who did it: clients of the real library, and an operator by Signalbox. Epoch milliseconds. */

/** From one moment to another. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One hold, as its client has it. */
export interface Hold {
  /** The lock, or the semaphore. */
  readonly place: string;
  /** As the server stores it, and as Signalbox names it: a party, a permit, a node. '': the client never learned it. */
  readonly who: string;
  /** Others may hold it with this one. */
  readonly shared: boolean;
  readonly askedMs: number;
  /** It was told that it holds; `null`: it never was. */
  readonly fromMs: number | null;
  /** It asked to let go, or was killed. */
  readonly letMs: number;
  readonly endMs: number;
  /**
   * - `released`, `lost`: told so by the server.
   * - `unsaid`: let go, where the library says the same of a hold that was lost.
   * - `unsure`: its client was told neither, as the server did not answer.
   * - `killed`: its client was.
   */
  readonly end: 'released' | 'lost' | 'unsaid' | 'unsure' | 'killed';
  /** Of a permit whose lease is not that of the others. */
  readonly leaseMs?: number;
}

/** One action, as planned and applied. */
export interface Deed extends Span {
  readonly kind: 'evict' | 'waiter' | 'sweep' | 'limit' | 'return' | 'wake' | 'ask';
  readonly place: string;
  /** Those that its plan saw, and said it would remove: as of `Hold`. */
  readonly who: readonly string[];
  readonly limit?: number;
  readonly permits?: number;
  /** What its plan said it would write. */
  readonly targets: readonly string[];
  /** What Signalbox said came of it. */
  readonly told: 'done' | 'unknown' | 'refused';
}

export const touches = (one: Span, other: Span): boolean =>
  one.fromMs <= other.toMs && other.fromMs <= one.toMs;

export const below = (n: number): number => Math.floor(Math.random() * n);
export const any = <T>(all: readonly T[]): T | undefined => all[below(all.length)];
export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
/** Short work mostly, and some that is long enough to be seen, planned for and acted on. */
export const work = () => pause(below(4) === 0 ? 200 + below(800) : below(40));
