/** Sentences about locks and semaphores whose holders have no session, or whose limit or holders are not stored. */
import { capabilities, freeOf, waitingOf } from '@/lib/domain/capabilities';
import { holdersOf } from '@/lib/domain/holders';
import type { Lock, Semaphore } from '@/lib/domain/model';
import { formatWhen } from './format/format';
import type { Moment, SentenceMessages } from './sentences';

type Words = Pick<SentenceMessages, 'subject'>;

/** The waiters in one sentence, or the fact that they are invisible. */
export function waitingSentence(of: Lock | Semaphore, { subject }: Words): string {
  const words = subject.holding.waiting;
  const waiting = waitingOf(of);
  switch (capabilities[of.layout].waiters) {
    case 'counted':
      return waiting === null ? words.unknown : waiting === 0 ? words.none : words.counted(waiting);
    case 'hidden':
      return words.hidden;
    default:
      return waiting === null ? words.unknown : words.queue(waiting);
  }
}

/** A lock held by a lease or an entry of its own: its holder, the kind of hold, and its end. */
export function heldSentences(
  lock: Lock,
  { nowMs, zone }: Moment,
  { subject, expiry }: SentenceMessages,
): string[] {
  const words = subject.holding;
  const holders = holdersOf(lock);
  const [first, ...more] = holders;
  if (first === undefined) return [words.unknown];
  const ends = holders.flatMap(({ expiry: { kind, latestMs } }) =>
    kind === 'lease' ? (latestMs ?? []) : [],
  );
  const end = ends.length < holders.length ? null : formatWhen(Math.max(...ends), nowMs, zone);
  const verdict = more.length === 0 ? first.verdict : 'alive';
  return [
    words.held[verdict](words.who(first.label, more.length, first.mode ?? null)),
    ...(more.length === 0 && (first.count ?? 1) > 1 ? [words.again(first.count ?? 1)] : []),
    ...(end === null ? [] : [more.length === 0 ? expiry.lease(end) : words.leasesEnd(end)]),
  ];
}

/** True when the plain sentence about slots is wrong: the limit or the holders are not stored, or no party is named. */
export function isUncommon(semaphore: Semaphore): boolean {
  const { layout, limit, limitBasis, recorded, problems } = semaphore;
  return (
    freeOf(semaphore) !== undefined ||
    limitBasis !== undefined ||
    capabilities[layout].waiters === 'counted' ||
    (limit === null && recorded !== null && problems.length === 0)
  );
}

function slotSentences(semaphore: Semaphore, { holding }: Words['subject']): string[] {
  const { layout, limit, limitBasis, recorded, effective } = semaphore;
  const available = freeOf(semaphore);
  const basis = limit === null || limitBasis === undefined ? [] : [holding.bases[limitBasis](limit)];
  if (layout === 'redisson-latch') return [holding.latch.count(available ?? null)];
  if (available === null) return [holding.free.unknown, ...basis];
  if (available !== undefined) return [holding.free.some(available, limit), ...basis, holding.free.holders];
  if (recorded === null) return [holding.free.unknown, ...basis];
  if (limit === null) return [holding.taken(recorded), holding.noLimit];
  return [
    limitBasis === 'at-least' ? holding.taken(recorded) : holding.slots(recorded, limit, effective),
    ...basis,
  ];
}

/** The taken or free slots, the basis of the limit, and the waiters. */
export const uncommonSentences = (semaphore: Semaphore, m: Words): string[] => [
  ...slotSentences(semaphore, m.subject),
  // A count of zero says little, and stands where the waiters are.
  ...((waitingOf(semaphore) ?? 0) > 0 ? [waitingSentence(semaphore, m)] : []),
];

/** Words for the narrow column of slots, also read aloud. */
export function slotsWords(
  semaphore: Semaphore,
  { board, subject }: Pick<SentenceMessages, 'board' | 'subject'>,
): { readonly short: string; readonly long: string } {
  const { layout, limit, limitBasis, recorded, effective } = semaphore;
  const available = freeOf(semaphore);
  const long = isUncommon(semaphore)
    ? slotSentences(semaphore, subject).join(' ')
    : board.slotsLong(recorded, limit, effective);
  if (layout === 'redisson-latch') return { short: subject.holding.latch.short(available ?? null), long };
  if (available !== undefined) return { short: subject.holding.free.short(available, limit), long };
  const short = board.slots(recorded, limit, effective);
  return { short: limitBasis === 'at-least' ? short.replace('/', '/≥') : short, long };
}
