/**
 * The sentences that only the stand-in needs, as codes with facts. Each has its words in
 * `lib/i18n/{en,zh}/{providers,rest}/stand-in.ts`. Without them the languages do not compile.
 */
import type { Nothing } from './nothing';

export type StandInLockLayout = 'stand-in-lock';
export type StandInSemaphoreLayout = 'stand-in-semaphore';

/** A holder by a lease of its own. `atMs`: when the lease ends unless renewed. */
export type StandInEvidence = 'lease-runs';

export type StandInSummary = {
  'free-lock': { readonly key: string; readonly holder: string };
  'free-slot': { readonly prefix: string; readonly holder: string };
};

export type StandInCondition = {
  /** This very hold is still there: the same holder since the same moment. */
  'same-hold': { readonly sessionId: string };
  'limit-is': { readonly limit: number };
};

export type StandInWarning = {
  /** `null`: the queue is empty. */
  'next-in-queue': { readonly first: string | null };
};

export type StandInRefusal = {
  /** The source offers no such action, or not in this way. */
  'not-offered': Nothing;
  /** Another program is writing the file, for longer than a write takes. */
  'file-busy': Nothing;
};

export type StandInFailure = {
  'file-not-read': { readonly errno: string };
  /** `where`: the part of the file that is not as it must be; '' for all of it. */
  'file-not-understood': { readonly where: string };
};

export type StandInDifference = {
  /** The same holder released and holds again. */
  'hold-retaken': { readonly key: string; readonly sessionId: string };
};

export const standInOutages = [
  /** The file is gone, or may not be read. */
  'file-unread',
  'file-unclear',
] as const;
