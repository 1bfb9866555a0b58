/**
 * The effects of an action: a story on the page, and a row in the record. Each subject is compared with its
 * state before the action, so a change counts only once a world shows it, whatever the backend answered.
 */
import { freeOf } from '@/lib/domain/capabilities';
import { holdersWith, unlistedHolders } from '@/lib/domain/holders';
import {
  type Lock,
  type Party,
  type Semaphore,
  type Subject,
  subjectId,
  type World,
} from '@/lib/domain/model';
import { isNamed } from '@/lib/domain/returned-client';
import { isOf } from '@/lib/domain/subject';
import { type Action, descriptorOf, followsQueue, subjectsOf } from './action';
import { factsOf } from './difference';
import { type Whom, whomOf } from './whom';

/** Longest wait for the next holder. */
export const patienceMs = 30_000;
/**
 * The same for waiters after a new limit: a failed client is listed until its session ends, with Go's TTL up to
 * 30 s later.
 */
export const queuePatienceMs = 45_000;
/** Longest wait for a taker's name. Terraform writes its lock info a moment after it has taken the lock. */
export const nameMs = 3_000;

export type SeenCode =
  | /** A holder that the action targeted is out. */ 'gone'
  | /** Its key or its record is no longer there. */ 'entry-gone'
  | 'session-gone'
  | 'lock-free'
  | 'slot-free'
  | 'delayed'
  | /** The lock is free after a lock-delay that was seen. */ 'delay-over'
  | /** The new limit is there. */ 'limit'
  | /** A waiter from before the new limit is no longer listed, and holds nothing. */ 'waits-not'
  | /** The stored number of free permits has changed. */ 'available'
  | /** A new holder. */ 'taken'
  | /** The same session has acquired the lock again. */ 'retaken'
  | /** The removed client holds with a new session. */ 'returned';

/** `record-written`: the record of holders has changed. A state of a semaphore, not an event of the story. */
export type ShownCode = SeenCode | 'record-written';

/** An event, at the time of the look that first showed it. */
export interface AftermathStep<C extends ShownCode = SeenCode> {
  readonly code: C;
  readonly subject: Subject;
  /** The client that left, came or stopped waiting, as named then. */
  readonly whom: Whom | null;
  /** The limit for `limit`, the number of slots for `slot-free` and `available`. */
  readonly count: number | null;
  /** The end of the delay for `delayed`, where known. */
  readonly untilMs: number | null;
  readonly atMs: number;
}

/** `null`: not there. */
export type AftermathRow = Lock | Semaphore | { readonly kind: 'session' } | null;
type Rows = Pick<World, 'locks' | 'semaphores' | 'sessions'>;

export interface Place {
  readonly subject: Subject;
  /** The row before the action; for a resize, the last row before its limit was there. */
  readonly before: AftermathRow;
  /** Changes from now on may be the action's effect. */
  readonly begun: boolean;
  /** The earlier waiters that every look since a resize has listed. */
  readonly waiting: readonly Party[];
  /** The subject's state at the last look; `null`: as before. */
  readonly shows: AftermathStep<ShownCode> | null;
  /** Each event once, in order of time. */
  readonly seen: readonly AftermathStep[];
}

export interface Aftermath {
  readonly action: Action;
  /** Ids of the sessions before the action: a client with one of them has not returned. */
  readonly sessions: ReadonlySet<string>;
  readonly places: readonly Place[];
}

export const isTaker = ({ code }: Pick<AftermathStep, 'code'>): boolean =>
  code === 'taken' || code === 'retaken' || code === 'returned';
const isEvent = (one: AftermathStep<ShownCode>): one is AftermathStep => one.code !== 'record-written';
/** Codes for a subject's state, not for a client's step. */
const standings: ReadonlySet<ShownCode> = new Set<ShownCode>([
  'entry-gone',
  'session-gone',
  'delayed',
  'lock-free',
  'record-written',
  'limit',
  'available',
]);
/** After a taker, these would report the taker's own leaving. */
const openings: ReadonlySet<SeenCode> = new Set<SeenCode>(['slot-free', 'lock-free', 'delayed']);

export function rowIn({ locks, semaphores, sessions }: Rows, subject: Subject): AftermathRow {
  const isIt = isOf(subject);
  if (subject.kind === 'session') return sessions.some(isIt) ? { kind: 'session' } : null;
  return (subject.kind === 'lock' ? locks.find(isIt) : semaphores.find(isIt)) ?? null;
}

const isCounted = (row: AftermathRow) => row?.kind === 'semaphore' && freeOf(row) !== undefined;

/** The world before the action is the state to compare with. */
export function aftermathOf(action: Action, subjects: readonly Subject[], world: Rows): Aftermath {
  const places = subjects.map((subject): Place => {
    const before = rowIn(world, subject);
    // Permits without a record of holders name no waiter to follow.
    const begun = !followsQueue(action) || isCounted(before);
    const waiting = !begun && before?.kind === 'semaphore' ? before.waiters : [];
    return { subject, before, begun, waiting, shows: null, seen: [] };
  });
  const sessions = world.sessions.flatMap(({ source, id }) => (source === action.source ? id : []));
  return { action, sessions: new Set(sessions), places };
}

/** The subjects that the page follows after an action, with those that a destroyed session held. */
export function pin(action: Action, world: Rows): Aftermath {
  const subjects = subjectsOf(action);
  const [ended] = descriptorOf(action).hits === 'session' ? subjects : [];
  const holds = (ended === undefined ? null : world.sessions.find(isOf(ended)))?.holds ?? [];
  return aftermathOf(action, [...subjects, ...holds], world);
}

type Meant = Pick<Aftermath, 'action' | 'sessions'>;

const idsOf = (parties: readonly Party[]) => new Set(parties.map(({ sessionId }) => sessionId));

const nameOf = (one: AftermathStep) => `${isTaker(one) ? 'taker' : one.code} ${one.whom?.session ?? ''}`;

/** Joins events, each once. A taker that came without a name keeps its time when its name is known. */
function joined(seen: readonly AftermathStep[], more: readonly AftermathStep[]): readonly AftermathStep[] {
  const all = new Map(seen.map((one) => [nameOf(one), one]));
  for (const one of more) {
    const known = all.get(nameOf(one)) ?? one;
    const code = one.code === 'returned' ? one.code : known.code;
    all.set(nameOf(one), { ...known, code, whom: known.whom?.label === null ? one.whom : known.whom });
  }
  return [...all.values()];
}

/**
 * A subject after one more look at its row. Events stay: a slot that was taken and left again was still taken.
 */
export function look(place: Place, row: AftermathRow, meant: Meant, atMs: number): Place {
  const { action } = meant;
  const { subject } = place;
  const begun = place.begun || (row?.kind === 'semaphore' && 'limit' in action && row.limit === action.limit);
  if (!begun && row !== null) {
    // A client that comes or leaves before the new limit has another reason. An unreadable record names no
    // client.
    if (row.kind !== 'semaphore' || row.recorded === null) return { ...place, shows: null };
    return { ...place, before: row, waiting: row.waiters, shows: null };
  }
  const facts = factsOf(place, row, meant);
  const { waiters = [], holders = [] } = row?.kind === 'semaphore' ? row : {};
  const [listed, inside] = [idsOf(waiters), idsOf(holders)];
  const waiting = place.waiting.filter(({ sessionId }) => listed.has(sessionId));
  for (const one of begun ? place.waiting : [])
    if (!listed.has(one.sessionId) && !inside.has(one.sessionId))
      facts.push({ code: 'waits-not', whom: whomOf(one, false) });
  const all = facts.map(
    (one): AftermathStep<ShownCode> => ({ whom: null, count: null, untilMs: null, subject, atMs, ...one }),
  );
  const shown = all.find(({ code }) => standings.has(code)) ?? null;
  const { shows: last } = place;
  // Another limit may have been set since.
  const shows = shown === null && last?.code === 'limit' ? last : shown;
  const isFresh = place.seen.every((one) => !isTaker(one));
  const wasDelayed = place.seen.some(({ code }) => code === 'delayed');
  const events = all
    .filter(isEvent)
    .filter(({ code }) => isFresh || !openings.has(code))
    .map((one) => (one.code === 'lock-free' && wasDelayed ? { ...one, code: 'delay-over' as const } : one));
  return {
    ...place,
    begun,
    waiting,
    shows: shows !== null && shows.code === last?.code ? { ...shows, atMs: last.atMs } : shows,
    seen: joined(place.seen, events),
  };
}

export const lookAtAll = (aftermath: Aftermath, world: Rows, atMs: number): Aftermath => ({
  ...aftermath,
  places: aftermath.places.map((place) => look(place, rowIn(world, place.subject), aftermath, atMs)),
});

/** In order of arrival. */
export const takersOf = ({ seen }: Place): readonly AftermathStep[] => seen.filter(isTaker);

/** A taker without a name may write one in a moment, where the holder before it had one. */
const mayBeNamed = ({ before }: Place, { whom }: AftermathStep): boolean =>
  before?.kind === 'lock' && before.holder !== null && isNamed(before.holder) && whom?.label === null;

export const isNameAwaited = (place: Place): boolean => takersOf(place).some((one) => mayBeNamed(place, one));

/**
 * Slots that the action opened. Holders that leave unprompted open others, whose takers have another reason.
 */
function openedIn(before: Semaphore, now: Semaphore, action: Action): number {
  if (descriptorOf(action).hits === 'ghosts') return holdersWith(before, 'ghost');
  if (!followsQueue(action)) return 1;
  return now.limit === null || before.limit === null ? 0 : Math.max(0, now.limit - before.limit);
}

function isFilled(before: AftermathRow, now: AftermathRow, came: number, action: Action): boolean {
  if (now?.kind !== 'semaphore' || before?.kind !== 'semaphore') return true;
  const there = idsOf(now.holders);
  const stayed = before.holders.filter(({ sessionId }) => there.has(sessionId)).length + unlistedHolders(now);
  const opened = openedIn(before, now, action);
  const open = now.limit === null ? opened : Math.min(opened, now.limit - stayed);
  return came >= open || now.waiters.length === 0;
}

/** True when this subject, which now shows `row`, can show nothing more. */
export function isAnswered(place: Place, row: AftermathRow, { action }: Meant): boolean {
  const came = takersOf(place).length;
  if (came === 0) return place.shows?.code === 'session-gone' || place.shows?.code === 'available';
  return place.waiting.length === 0 && isFilled(place.before, row, came, action);
}

/** A subject's events that belong to the action: other clients come and go meanwhile. */
function ownOf({ subject, before, seen }: Place, { action }: Meant): readonly AftermathStep[] {
  if (followsQueue(action)) {
    const over = seen.findIndex(({ code }) => code === 'entry-gone');
    const waited = idsOf(before?.kind === 'semaphore' ? before.waiters : []);
    const gaveUp = new Set<string>();
    return (over === -1 ? seen : seen.slice(0, over + 1)).filter((one) => {
      const session = one.whom?.session ?? '';
      if (one.code === 'waits-not') gaveUp.add(session);
      return !isTaker(one) || (waited.has(session) && !gaveUp.has(session));
    });
  }
  if (before === null) return [];
  const out = seen.filter(({ code }) => code === 'gone');
  let open = out.length === 0 && subject.kind === 'lock' ? Number.POSITIVE_INFINITY : out.length;
  return seen.filter((one) => !isTaker(one) || (one.atMs >= (out[0]?.atMs ?? 0) && open-- > 0));
}

/** All events in order of time. */
export function storyOf(aftermath: Aftermath, nowMs: number): readonly AftermathStep[] {
  return aftermath.places
    .flatMap((place) =>
      ownOf(place, aftermath).filter(
        (one) => !isTaker(one) || nowMs - one.atMs >= nameMs || !mayBeNamed(place, one),
      ),
    )
    .sort((a, b) => a.atMs - b.atMs);
}

/** Waiters from before a new limit that are still listed. */
export const listedStill = ({ places }: Aftermath): number =>
  places.reduce((sum, { waiting }) => sum + waiting.length, 0);

/** True when a waiter leaves the queue of a held subject, which lets no other client in. */
function opensNothing({ before }: Place, { action }: Aftermath): boolean {
  if (descriptorOf(action).hits !== 'waiter') return false;
  if (before?.kind === 'lock') return before.state === 'held';
  return before?.kind === 'semaphore' && before.limit !== null && (before.recorded ?? 0) >= before.limit;
}

/**
 * The state of the story: nothing seen yet, waiting for the next holder, or complete. Patience begins after a
 * lock-delay. After a new limit it waits for the earlier waiters, some of whom may still be listed when patience ends.
 */
export function standing(
  aftermath: Aftermath,
  { sentAtMs, nowMs }: { readonly sentAtMs: number; readonly nowMs: number },
): 'unseen' | 'watching' | 'nobody' | 'queue' | 'listed' | 'complete' {
  const story = storyOf(aftermath, nowMs);
  if (story.length === 0) {
    if (descriptorOf(aftermath.action).invites !== true) return 'unseen';
    return nowMs - sentAtMs >= patienceMs ? 'nobody' : 'watching';
  }
  if (followsQueue(aftermath.action)) {
    if (listedStill(aftermath) === 0) return 'complete';
    return nowMs - sentAtMs >= queuePatienceMs ? 'listed' : 'queue';
  }
  // No client enters a semaphore that is gone. The next holder makes a lock again whose key went with its
  // session.
  const over = new Set(
    story.flatMap(({ code, subject }) =>
      code === 'entry-gone' && subject.kind === 'semaphore' ? [subjectId(subject)] : [],
    ),
  );
  const gone = story.filter(({ code, subject }) => code === 'gone' && !over.has(subjectId(subject))).length;
  if (
    story.filter(isTaker).length >= gone ||
    aftermath.places.some((place) => opensNothing(place, aftermath))
  )
    return 'complete';
  const from = Math.max(sentAtMs, ...story.map(({ untilMs, atMs }) => untilMs ?? atMs));
  return nowMs - from >= patienceMs ? 'nobody' : 'watching';
}
