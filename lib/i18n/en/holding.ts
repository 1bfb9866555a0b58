/** English: what is held by a lease or an entry of its own, without a session, and who waits where they are only counted. */
import type { Verdict } from '@/lib/domain/model';
import { capital, counted } from './plural';

const held: Readonly<Record<Verdict, (who: string) => string>> = {
  alive: (who) => `Held by ${who}.`,
  overdue: (who) => `Held by ${who}, which is probably dead.`,
  suspect: (who) => `Held by ${who}, which is likely dead or cut off.`,
  'node-bound': (who) => `Held by ${who}.`,
  immortal: (who) => `Held by ${who}. Only a person can free it.`,
  ghost: (who) => `Recorded for ${who}, which is gone.`,
  unknown: (who) => `Held by ${who}. Whether it is alive is unknown.`,
};

const bases = {
  configured: (limit: number) => `The limit, ${limit}, is configured here.`,
  inferred: (limit: number) => `The limit, ${limit}, is inferred: another client waits.`,
  'at-least': (limit: number) => `The limit is ${limit} or more: it is not stored.`,
} as const;

export const holding = {
  held,
  /** `more`: further readers. */
  who: (label: string, more: number, mode: 'read' | 'write' | null) =>
    `${label}${more === 0 ? '' : ` and ${more} more`}${
      mode === null ? '' : mode === 'read' ? ' for reading' : ' for writing'
    }`,
  /** One client has it several times. */
  again: (times: number) => `It took it ${times} times and gives it back as often.`,
  leasesEnd: (at: string) => `The last lease ends at ${at} unless renewed.`,
  unknown: 'Whether anybody holds this lock is unknown.',
  ends: {
    entry: (within: string) => `Ends within ${within} of its client’s death, when its session times out.`,
    over: 'over',
    sweep: 'Its lease is over. The record stays until the next client or a person sweeps it.',
    entryGhost: 'Never on its own. Only a person can remove the entry.',
  },
  waiting: {
    none: 'No client is counted as waiting. One that polls leaves no trace.',
    unknown: 'How many clients wait is unknown.',
    counted: (n: number) => `${capital(counted(n, 'client waits', 'clients wait'))}: counted, not named.`,
    hidden: 'Who waits leaves no trace. There may be some.',
    queue: (n: number) =>
      n === 0 ? 'Nobody waits.' : `${capital(counted(n, 'client waits', 'clients wait'))}.`,
    short: (n: number) => `${n} waiting`,
  },
  slots: (recorded: number, limit: number, effective: number | null) =>
    `${recorded} of ${limit} slots ${effective !== null && effective !== recorded ? `taken, ${effective} really held` : 'held'}.`,
  taken: (recorded: number) => `${capital(counted(recorded, 'slot is', 'slots are'))} held.`,
  bases,
  noLimit: 'The limit is not stored.',
  expired: (n: number) =>
    `${capital(counted(n, 'permit has', 'permits have'))} expired and ${n === 1 ? 'is' : 'are'} not swept yet.`,
  /** For a backend that stores the free permits. */
  free: {
    unknown: 'How many permits are free cannot be read.',
    some: (n: number, limit: number | null) =>
      n < 0
        ? `No permit is free: ${-n} more must come back first.`
        : `${n === 0 ? 'No permit' : capital(counted(n, 'permit', 'permits'))}${limit === null ? '' : ` of ${limit}`} ${n < 2 ? 'is' : 'are'} free.`,
    holders: 'Who holds the others is not stored.',
    short: (n: number | null, limit: number | null) => `${n ?? '?'}${limit === null ? '' : `/${limit}`} free`,
  },
  latch: {
    count: (n: number | null) =>
      n === null
        ? 'The count cannot be read.'
        : n === 0
          ? 'The count is 0: nobody is held up.'
          : `The count is ${n}: clients go on when it is 0.`,
    short: (n: number | null) => `count ${n ?? '?'}`,
  },
};
