/** English: what the stand-in says in its own words, of what is read after the first sight. */
import type {
  StandInCondition,
  StandInDifference,
  StandInEvidence,
  StandInSummary,
  StandInWarning,
} from '@/lib/domain/codes/stand-in';
import type { Sayings } from '@/lib/domain/message';

/** Every part is complete, or does not compile. */
export const standIn = {
  evidenceSources: { file: 'file' },
  evidence: {
    'lease-runs': (_: string | null, at: string | null = null) =>
      at === null ? 'Its lease runs.' : `Its lease runs until ${at}.`,
  } satisfies Record<StandInEvidence, unknown>,
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
  differences: {
    'hold-retaken': ({ key, sessionId }) => `${sessionId} released ${key} and took it again`,
  } satisfies Sayings<StandInDifference>,
};
