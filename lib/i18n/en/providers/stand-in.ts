/** English: what the stand-in says in its own words. */
import type {
  StandInFailure,
  StandInLockLayout,
  StandInRefusal,
  StandInSemaphoreLayout,
  standInOutages,
} from '@/lib/domain/codes/stand-in';
import type { Sayings } from '@/lib/domain/message';

const notices = 'A holder learns at its next renewal: its entry is gone then. Until then it keeps working.';

/** Every part is complete, or does not compile. */
export const standIn = {
  layouts: {
    'stand-in-lock': { name: 'stand-in lock', caution: null, notices },
    'stand-in-semaphore': { name: 'stand-in semaphore', caution: null, notices },
  } satisfies Record<StandInLockLayout | StandInSemaphoreLayout, unknown>,
  why: {
    'not-offered': () => 'This source does not offer this action.',
    'file-busy': () => 'Another program is writing the file. Nothing was written. Try again.',
    'file-not-read': ({ errno }) => `Signalbox cannot read the file (${errno}).`,
    'file-not-understood': ({ where }) =>
      `Signalbox does not understand the file${where === '' ? '' : ` at ${where}`}.`,
  } satisfies Sayings<StandInRefusal & StandInFailure>,
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
