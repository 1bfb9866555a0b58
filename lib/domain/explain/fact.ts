/**
 * What an explanation says of a stuck lock or semaphore: codes with values, each with the evidence that it rests on. The
 * words are in `lib/i18n/{en,zh}/rest/explain.ts`.
 */
import type { Warning } from '@/lib/domain/actions/plan';
import type { Action } from '@/lib/domain/actions/schema';
import type { Capabilities } from '@/lib/domain/capabilities';
import type { Evidence, Since, Verdict } from '@/lib/domain/model';
import type { RuleRefusal } from '@/lib/domain/refusal';

type Holds = Capabilities['holds'];

/** What blocks whom, the root first. */
export type Block =
  /** They hold what they wait for. `behind`: further clients that wait for them. */
  | {
      readonly code: 'deadlock';
      readonly clients: number;
      readonly first: string;
      readonly second: string;
      readonly behind: number;
    }
  /** It holds something else, `name`, that the holders here wait for, and no wait of its own is in view. */
  | {
      readonly code: 'root';
      readonly who: string;
      readonly name: string;
      readonly verdict: Verdict;
      readonly since: Since | null;
    }
  /** It waits for `name` while it holds what the next one waits for. `here`: this subject itself. */
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
  /** Recorded, and only counted. */
  | { readonly code: 'unlisted'; readonly n: number }
  /** The backend stores what is free, and no holder. */
  | { readonly code: 'unnamed' }
  | { readonly code: 'free' }
  | { readonly code: 'refused'; readonly untilMs: number | null }
  /** Whether anybody holds it cannot be told. */
  | { readonly code: 'unknown' }
  /** Some entries of a semaphore may not be read, so that who holds a slot and who waits cannot be told. */
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
  /** `no-trace`: the backend does not record who waits. `not-counted`: it was not asked, or does not say. */
  | { readonly code: 'waits-untold'; readonly why: 'no-trace' | 'not-counted' }
  /** This reader may not see all entries. */
  | { readonly code: 'waits-hidden' }
  | { readonly code: 'dead-head'; readonly who: string; readonly behind: number }
  | { readonly code: 'asleep'; readonly n: number };

/** What would end it by itself, and when. `delayMs`: the lock-delay that follows; `null`: there is none, or it is unknown. */
export type End =
  /** It stays silent. */
  | {
      readonly code: 'silent';
      readonly who: string;
      readonly atMs: number;
      readonly delayMs: number | null;
      readonly holds: Holds;
    }
  | { readonly code: 'lease'; readonly who: string; readonly atMs: number }
  /** Within that of its death, if its process is dead. */
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
  /** Its session is not visible to this reader. */
  | { readonly code: 'hidden'; readonly who: string }
  | { readonly code: 'untold'; readonly who: string }
  /** The waits that hold each other. */
  | { readonly code: 'none-of-them' }
  | { readonly code: 'delay'; readonly atMs: number }
  | { readonly code: 'waiters-time-out' }
  | { readonly code: 'dead-head-stays'; readonly who: string }
  | { readonly code: 'entry-stays' };

/** With its evidence; empty where the row itself says it. */
export type WithEvidence<F> = { readonly fact: F; readonly evidence: readonly Evidence[] };

/** What would end it now. `refused`: the rule that keeps Signalbox from it. `null`: no action of ours ends it. */
export type Now =
  | { readonly action: Action; readonly risks: readonly Warning[] }
  | { readonly refused: RuleRefusal }
  | null;

export interface Explanation {
  /** 0: a finding says that it is stuck. Else clients have waited for long from then on (epoch milliseconds), which may be as it should. */
  readonly fromMs: number;
  readonly blocks: readonly WithEvidence<Block>[];
  readonly ends: readonly WithEvidence<End>[];
  readonly now: Now;
}
