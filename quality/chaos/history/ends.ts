/** The right names for the end of a hold, from everything that the observer saw until Signalbox's look. */
import type { Seen, SeenHold, Span } from './observer';
import type { DoneDeed } from './person';

export interface Ended {
  readonly hold: SeenHold;
  readonly to: Span;
  /** When Signalbox says that the hold ended: at its look. */
  readonly lookMs: number;
  /** True when other slots of the same semaphore ended at the same look. */
  readonly together: boolean;
  /** True when Signalbox has seen the slot without its client. */
  readonly sawGhost: boolean;
  readonly seen: Seen;
  readonly deeds: readonly DoneDeed[];
}

/** On a busy machine the observer may learn of a change this much after Signalbox. */
export const slackMs = 500;
/** Two answers that came within this may show one moment. */
const togetherMs = 50;
/** Signalbox attributes an effect to an action for this long after it. */
const deedMs = 10_000;

const nameOf = ({ subject }: SeenHold) => subject.slice(subject.indexOf(':') + 1);
const keyOf = (hold: SeenHold) => (hold.token === null ? `${nameOf(hold)}/.lock` : nameOf(hold));
const entryOf = (hold: SeenHold) => `${nameOf(hold)}/${hold.session}`;

/** The actions that may have ended the hold. */
export const deedsOn = ({ hold, to, deeds }: Pick<Ended, 'hold' | 'to' | 'deeds'>): readonly DoneDeed[] =>
  deeds.filter(
    ({ subject, sessions, askedMs, answeredMs }) =>
      sessions.includes(hold.session) &&
      (subject === null || subject === hold.subject) &&
      to.byMs >= askedMs - slackMs &&
      to.byMs <= answeredMs + deedMs,
  );

/** The right names by the hold itself, as observed. */
function natural({ hold, to, lookMs, together, sawGhost, seen }: Ended): Set<string> {
  const isBefore = ({ span }: { readonly span: Span }) =>
    span.byMs >= to.byMs && span.afterMs <= lookMs + slackMs;
  const ended = seen.sessionsEnded.get(hold.session);
  const isEntryGone = seen.gone.some((it) => it.key === entryOf(hold) && it.span.byMs <= lookMs + slackMs);
  const endedByLook = ended !== undefined && ended.afterMs <= lookMs + slackMs;
  if (hold.withSession) return new Set(['session-ended']);
  const right = new Set<string>();
  switch (hold.ending) {
    case 'let-go':
      // A slot whose session had ended before was pruned. When both came between two looks, the client seems to have
      // let go and left. The observer reads sessions and keys apart, so answers that came together have no order.
      if (
        sawGhost &&
        hold.token === null &&
        ended !== undefined &&
        ended.byMs < Math.max(to.afterMs, to.byMs - togetherMs)
      )
        return new Set(['session-ended']);
      right.add('released');
      // Several clients that let go between two reads look like one write.
      if (together) right.add('entry-overwritten');
      break;
    case 'several': {
      right.add('entry-overwritten');
      const group = seen.holds.filter((one) => one.subject === hold.subject && one.to?.byMs === to.byMs);
      const isLeft = (one: SeenHold) => {
        const end = seen.sessionsEnded.get(one.session);
        // An entry outlives its session where the session's behaviour is to release it.
        return (
          (end !== undefined && end.byMs >= to.afterMs && end.afterMs <= lookMs + togetherMs) ||
          seen.gone.some((it) => it.key === entryOf(one) && isBefore(it))
        );
      };
      const left = group.filter(isLeft);
      if (!together || group.length - left.length < 2 || left.includes(hold)) right.add('released');
      break;
    }
    case 'record-spoiled':
      right.add('entry-overwritten');
      if (seen.made.some((it) => it.key === keyOf(hold) && isBefore(it))) right.add('released');
      break;
    default:
      right.add('entry-deleted');
      // `consul lock` lets go, deletes its key or record and ends its session, faster than any reader reads.
      if (hold.ending === 'key-gone' && endedByLook) right.add('released');
      if (hold.ending === 'record-gone' && ended !== undefined && ended.byMs >= to.byMs && isEntryGone)
        right.add('released');
  }
  if (endedByLook) right.add('session-ended');
  if (seen.gone.some((it) => it.key === keyOf(hold) && isBefore(it))) right.add('entry-deleted');
  if (seen.spoiled.some((it) => it.key === keyOf(hold) && isBefore(it))) right.add('entry-overwritten');
  return right;
}

/** All names that one look allows; more than one when several things happened before it. */
export function rightEnds(ended: Ended): ReadonlySet<string> {
  const { hold, to } = ended;
  const mine = deedsOn(ended);
  if (mine.length === 0) return natural(ended);
  const isSure = mine.some(
    ({ type, sure, askedMs, answeredMs }) =>
      sure &&
      to.byMs >= askedMs &&
      to.byMs <= answeredMs + slackMs &&
      // A session's end may come just after its slot was released.
      (type !== 'session.destroy' || hold.withSession),
  );
  return isSure ? new Set(['evicted-here']) : natural(ended).add('evicted-here');
}
