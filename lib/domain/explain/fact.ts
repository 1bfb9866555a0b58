/**
 * The facts of an explanation of a stuck lock or semaphore: codes with values, each with the evidence that it rests on.
 * The words are in `lib/i18n/{en,zh}/rest/explain.ts`.
 */
import type { Warning } from '@/lib/domain/actions/plan';
import type { Action } from '@/lib/domain/actions/schema';
import type { Capabilities } from '@/lib/domain/capabilities';
import type { Evidence, Since, Verdict } from '@/lib/domain/model';
import type { RuleRefusal } from '@/lib/domain/refusal';

type Holds = Capabilities['holds'];

/** The chain of clients that block each other, the root first. */
export type Block =
  /** Each client holds a thing that another one waits for. `behind`: further clients that wait for them. */
  | {
      readonly code: 'deadlock';
      readonly clients: number;
      readonly first: string;
      readonly second: string;
      readonly behind: number;
    }
  /** A client holds something else, `name`, that the holders here wait for, and no wait of its own is in view. */
  | {
      readonly code: 'root';
      readonly who: string;
      readonly name: string;
      readonly verdict: Verdict;
      readonly since: Since | null;
    }
  /**
   * A client waits for `name`, and holds the thing that the next one waits for. `here`: it holds this subject itself.
   */
  | { readonly code: 'passes-on'; readonly who: string; readonly name: string; readonly here: boolean }
  /** Further clients between these two, each waiting for the one before. */
  | { readonly code: 'between'; readonly clients: number }
  | {
      readonly code: 'holder';
      readonly who: string;
      readonly verdict: Verdict;
      readonly since: Since | null;
      /** Further readers of the same lock. */
      readonly more: number;
      readonly holds: Holds;
    }
  | {
      readonly code: 'slots';
      readonly recorded: number;
      /** `null`: not known. */
      readonly limit: number | null;
    }
  /** Holders of a semaphore with one verdict. `who`, `since`: of the one that holds longest. */
  | {
      readonly code: 'holders';
      readonly verdict: Verdict;
      readonly n: number;
      readonly who: string;
      readonly since: Since | null;
      readonly holds: Holds;
    }
  /** Recorded holders that are only counted. */
  | { readonly code: 'unlisted'; readonly n: number }
  /** The backend stores the free permits, and no holder. */
  | { readonly code: 'unnamed' }
  | { readonly code: 'free' }
  | { readonly code: 'refused'; readonly untilMs: number | null }
  /** The backend does not show if there is a holder. */
  | { readonly code: 'unknown' }
  /** This reader may not read some entries of a semaphore, so its holders and waiters are unknown. */
  | { readonly code: 'holders-hidden' }
  /** The record is not understood. */
  | { readonly code: 'unreadable' }
  /** `who`, `since`: of the one that waits longest; `null`: none of them is known to. */
  | {
      readonly code: 'waits';
      readonly n: number;
      readonly who: string | null;
      readonly since: Since | null;
    }
  | { readonly code: 'waits-counted'; readonly n: number }
  /** `no-trace`: the backend does not record waiters. `not-counted`: the backend was not asked, or did not answer. */
  | { readonly code: 'waits-untold'; readonly why: 'no-trace' | 'not-counted' }
  /** This reader may not see all entries. */
  | { readonly code: 'waits-hidden' }
  | { readonly code: 'dead-head'; readonly who: string; readonly behind: number }
  | { readonly code: 'asleep'; readonly n: number };

/**
 * A way in which the hold ends without an action, with its instant. `delayMs`: the lock-delay that follows; `null`:
 * there is none, or it is unknown.
 */
export type End =
  /** The holder ends if it stays silent. */
  | {
      readonly code: 'silent';
      readonly who: string;
      readonly atMs: number;
      readonly delayMs: number | null;
      readonly holds: Holds;
    }
  | { readonly code: 'lease'; readonly who: string; readonly atMs: number }
  /** The holder ends within this time of its process's death. */
  | {
      readonly code: 'dead';
      readonly who: string;
      readonly withinMs: number;
      readonly delayMs: number | null;
      readonly holds: Holds;
    }
  /** `node`: `null` where it is a server of the backend. */
  | { readonly code: 'node'; readonly who: string; readonly node: string | null }
  | { readonly code: 'never'; readonly who: string }
  | { readonly code: 'leak'; readonly holds: Holds }
  /** The holder's session is not visible to this reader. */
  | { readonly code: 'hidden'; readonly who: string }
  | { readonly code: 'untold'; readonly who: string }
  /** The waits hold each other, so none of them ends. */
  | { readonly code: 'none-of-them' }
  | { readonly code: 'delay'; readonly atMs: number }
  | { readonly code: 'waiters-time-out' }
  | { readonly code: 'dead-head-stays'; readonly who: string }
  | { readonly code: 'entry-stays' };

/** A fact with its evidence, which is empty where the row itself shows the fact. */
export type WithEvidence<F> = { readonly fact: F; readonly evidence: readonly Evidence[] };

/**
 * The action that ends the hold now. `refused`: the rule that keeps Signalbox from it. `null`: no action of ours ends
 * it.
 */
export type Now =
  | { readonly action: Action; readonly risks: readonly Warning[] }
  | { readonly refused: RuleRefusal }
  | null;

export interface Explanation {
  /**
   * 0: a finding says that the subject is stuck. Else clients have waited for long, from this instant on (epoch
   * milliseconds), which may be as it should.
   */
  readonly fromMs: number;
  readonly blocks: readonly WithEvidence<Block>[];
  readonly ends: readonly WithEvidence<End>[];
  readonly now: Now;
}
