/** English: a plan, before the action and after it. */

import type {
  ConditionFacts,
  NoteFacts,
  PartFacts,
  StateFacts,
  SummaryFacts,
  TouchFacts,
  UndoFacts,
  WarningFacts,
} from '@/lib/domain/actions/plan';
import type { Sayings } from '@/lib/domain/message';
import { layouts } from '@/lib/i18n/en/layout';
import { count } from '@/lib/i18n/en/plural';
import { consul } from './consul';
import { redis } from './redis';
import { standIn } from './stand-in';
import { zookeeper } from './zookeeper';

const summaries: Sayings<SummaryFacts> = {
  'set-limit': ({ prefix, before, limit }) => `Set the limit of ${prefix} from ${before} to ${limit}.`,
  ...consul.summaries,
  ...redis.summaries,
  ...standIn.summaries,
  ...zookeeper.summaries,
};

const conditions: Sayings<ConditionFacts> = {
  ...consul.conditions,
  ...redis.conditions,
  ...standIn.conditions,
  ...zookeeper.conditions,
};

const states: Sayings<StateFacts> = {
  stored: ({ text }) => text,
  'held-by': ({ sessionId }) => `held by ${sessionId}`,
  'holds-slot': ({ prefix }) => `holds a slot of ${prefix}`,
  'key-free': ({ key }) => `${key} is free`,
  gone: () => 'gone',
  ...consul.states,
};

const touched: Sayings<TouchFacts> = consul.touched;

const warnings: Sayings<WarningFacts> = {
  'holder-notices': ({ layout, heirs }) =>
    ((heirs === 0 && layouts[layout].alone) || layouts[layout]).notices,
  'limit-live': () =>
    'Clients of this type read the stored limit each time. The new one works at once, and no waiter fails.',
  'over-limit': ({ holders, limit }) =>
    `${count(holders, 'holder')} stay: a smaller limit evicts none. No client enters before fewer than ${limit} hold.`,
  'layout-caution': ({ layout }) => layouts[layout].caution ?? layouts[layout].name,
  'left-out': ({ prefixes, names }) =>
    `${prefixes === 1 ? 'One of the chosen semaphores has' : `${prefixes} of the chosen semaphores have`} no ghost now or cannot be written, and ${prefixes === 1 ? 'stays' : 'stay'} as ${prefixes === 1 ? 'it is' : 'they are'}: ${names.split('\n').join(', ')}${prefixes > names.split('\n').length ? ', …' : ''}.`,
  'answer-lost': () => 'The answer was lost. A later read gave this result.',
  'not-read-back': () => 'The write succeeded, but Signalbox could not read the state back just now.',
  ...consul.warnings,
  ...redis.warnings,
  ...standIn.warnings,
  ...zookeeper.warnings,
};

const undos: Sayings<UndoFacts> = {
  'set-limit-back': ({ limit }) => `Set the limit back to ${limit}; that works at once.`,
  'not-needed': () => 'No undo needed: this removes only what no client has any more.',
  'none-slot': () => 'No undo. Its process must queue again.',
  'none-hand-over': () => 'No undo: the next holder keeps the lock.',
  ...consul.undos,
  ...redis.undos,
};

const notes: Sayings<NoteFacts> = {
  ...consul.notes,
  ...redis.notes,
  ...zookeeper.notes,
};

const parts: Sayings<PartFacts> = {
  pruned: ({ ghosts, named }) => `pruned ${count(ghosts, 'ghost')}: ${named}`,
  'had-no-ghost': () => 'no ghost left',
};

export const plan = { summaries, conditions, states, touched, warnings, undos, notes, parts };

/** Changes behind an open dialog, each after its time, in one line. */
export const sinceShown = {
  /** Around the time. */
  seenAt: ['Seen at ', ': '],
  gone: {
    lock: 'this key is gone or not visible.',
    semaphore: 'this semaphore is gone or not visible.',
    session: 'this session is gone or not visible.',
  },
  nobody: 'nobody holds it now.',
  holderUnknown: 'its holder is now unknown.',
  taken: (label: string) => `${label} holds it now.`,
  letGo: (label: string) => `${label} no longer holds it.`,
  waitsNot: (label: string) => `${label} no longer waits here.`,
  available: (permits: number | null) =>
    permits === null
      ? 'Signalbox can no longer read how many permits are free.'
      : `${permits} ${permits === 1 ? 'permit is' : 'permits are'} free now.`,
  retaken: 'the same session released it and took it again.',
  overwritten: 'its entry was overwritten; the same session holds it.',
  /** `label`: a client that has gained a slot; `null`: none. */
  noSlot: (label: string | null) =>
    label === null
      ? 'it no longer holds a slot here.'
      : `it no longer holds a slot here, and ${label} has come.`,
  aliveAgain: 'it is alive again.',
  /** No longer likely dead, without a sign of life. */
  unfollowed: 'Signalbox no longer sees its renewals: it may be alive or dead.',
  countedAnew: 'its silence counts from zero again, with no renewal seen.',
  healthUnread: 'Signalbox can no longer read the health of its node and checks.',
  judged: (now: string, before: string) => `its verdict is ${now} now, no longer ${before}.`,
  /** Its session has ended, and the record of it stays. */
  leaks: 'it locks nothing here now, and its slot leaks.',
  holdings: 'its holdings changed.',
  /** `n` slots still leak. `untold`: recorded holders that Signalbox cannot judge. */
  ghosts: (n: number, untold: number) => {
    if (n === 0)
      return untold === 0
        ? 'no slot leaks here any more.'
        : 'Signalbox can no longer judge whether a slot leaks here.';
    const still = n === 1 ? '1 slot still leaks here' : `${n} slots still leak here`;
    return untold === 0 ? `${still}; the others no longer do.` : `${still}; ${untold} more cannot be judged.`;
  },
  otherGhosts: 'other slots leak here now.',
  /** `.lock`. */
  unreadable: 'Signalbox can no longer read the record of its holders.',
  unrecorded: 'the record of its holders is gone or not visible.',
  limit: (limit: number | null) =>
    limit === null ? 'Signalbox can no longer read its limit.' : `its limit is ${limit} now.`,
  used: 'a session holds or waits for a slot here now.',
};
