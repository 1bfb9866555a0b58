/** English: what the stand-in says in its own words. */
import type {
  StandInCondition,
  StandInDifference,
  StandInEvidence,
  StandInFailure,
  StandInLockLayout,
  StandInRefusal,
  StandInSemaphoreLayout,
  StandInSummary,
  StandInWarning,
  standInOutages,
} from '@/lib/domain/codes/stand-in';
import type { Sayings } from '@/lib/domain/message';

const notices = 'A holder learns at its next renewal: its entry is gone then. Until then it keeps working.';

/** Every part is complete, or does not compile. */
export const standIn = {
  evidenceSources: { file: 'file' },
  evidence: {
    'lease-runs': (_: string | null, at: string | null = null) =>
      at === null ? 'Its lease runs.' : `Its lease runs until ${at}.`,
  } satisfies Record<StandInEvidence, unknown>,
  layouts: {
    'stand-in-lock': { name: 'stand-in lock', caution: null, notices },
    'stand-in-semaphore': { name: 'stand-in semaphore', caution: null, notices },
  } satisfies Record<StandInLockLayout | StandInSemaphoreLayout, unknown>,
  summaries: {
    'free-lock': ({ key, holder }) => `Take ${key} from ${holder}. The first in the queue gets it.`,
    'free-slot': ({ prefix, holder }) => `Take the slot of ${holder} in ${prefix}.`,
  } satisfies Sayings<StandInSummary>,
  conditions: {
    'same-hold': ({ sessionId }) => `this very hold of ${sessionId} is still there`,
    'limit-is': ({ limit }) => `the limit is still ${limit}`,
  } satisfies Sayings<StandInCondition>,
  warnings: {
    'next-in-queue': ({ first }) =>
      first === null ? 'The queue is empty.' : `${first} is first in the queue and gets it next.`,
  } satisfies Sayings<StandInWarning>,
  why: {
    'not-offered': () => 'This source does not offer this action.',
    'file-busy': () => 'Another program is writing the file. Nothing was written. Try again.',
    'file-not-read': ({ errno }) => `Signalbox cannot read the file (${errno}).`,
    'file-not-understood': ({ where }) =>
      `Signalbox does not understand the file${where === '' ? '' : ` at ${where}`}.`,
  } satisfies Sayings<StandInRefusal & StandInFailure>,
  differences: {
    'hold-retaken': ({ key, sessionId }) => `${sessionId} released ${key} and took it again`,
  } satisfies Sayings<StandInDifference>,
  outages: {
    'file-unread': {
      short: 'file not readable',
      title: 'Signalbox cannot read the stand-in’s file.',
      means: 'Locks in other sources are not affected. Programs that use the file may be cut off too.',
      next: 'Check that the file is at its path and that Signalbox may read it.',
    },
    'file-unclear': {
      short: 'file not understood',
      title: 'Signalbox does not understand the stand-in’s file.',
      means: 'Locks in other sources are not affected. Programs that use the file may fail too.',
      next: 'Check that the file is JSON with locks and semaphores; docs/providers.md shows its form.',
    },
  } satisfies Record<(typeof standInOutages)[number], unknown>,
};
