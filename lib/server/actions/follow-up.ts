/**
 * What follows an action: for half a minute the subjects are watched in the view of the person who acted, so with that
 * person's rights and at no cost to the backend, and what was seen is one more row of the audit.
 */
import { AsyncResource } from 'node:async_hooks';
import type { AuditEntry } from '@/lib/domain/audit';
import { type Step, says } from '@/lib/domain/change';
import type { Followed, FollowedSubject } from '@/lib/domain/followed';
import { type Lock, type Party, type Semaphore, type Subject, subjectId } from '@/lib/domain/model';
import { hasReturned, isNamed, nameMs as nameMsDefault } from '@/lib/domain/return';
import { type Snapshot, wasRead } from '@/lib/domain/snapshot';
import { tenureOf } from '@/lib/domain/tenure';
import { type Whom, whomOf } from '@/lib/domain/whom';
import { keptWhom } from '@/lib/server/audit/detail';
import type { Hub } from '@/lib/server/hub';
import type { Discreet } from '@/lib/server/scrub';

export interface FollowUp {
  readonly hub: Pick<Hub, 'subscribe' | 'snapshot'>;
  /** The world before the action. */
  readonly before: Snapshot;
  readonly subjects: readonly Subject[];
  /** Who, why and what: the row is this with kind `followed` and what was seen as its detail. */
  readonly entry: Omit<AuditEntry, 'kind' | 'detail'>;
  /** Of a resize, the limit that was asked for; `null` of any other action. */
  readonly limit: number | null;
  /** Takes the token of whoever acted out of what is written. */
  readonly discreet: Discreet;
}

export interface FollowUps {
  /** Watches from now on. Beyond `max` at a time nothing is watched, and there will be no row. */
  follow(followUp: FollowUp): void;
  /** Writes what was seen so far, marked as cut short, and watches nothing more. */
  close(): Promise<void>;
}

export interface FollowUpsOptions {
  /** Writes a row in the end, however often it must try; never rejects. */
  readonly write: (entry: AuditEntry) => Promise<void>;
  readonly now: () => number;
  readonly watchMs?: number;
  /** How long the name of a taker is waited for. */
  readonly nameMs?: number;
  /** Actions that are followed at a time. */
  readonly max?: number;
}

const watchMsDefault = 30_000;
/** A client that failed is listed until its session ends: with the TTL of Go's, 15 s, up to half a minute after it. */
const queueFactor = 1.5;
const maxDefault = 200;
/** Subjects of one action that are watched: a prune may name hundreds. */
const subjectsMax = 20;
const sessionsMax = 20;

type Seen = Omit<FollowedSubject, 'subject'>;
/** The row of a subject; `null`: it is not there. */
type Row = Lock | Semaphore | { readonly kind: 'session' } | null;

function rowIn(snapshot: Snapshot, subject: Subject): Row {
  switch (subject.kind) {
    case 'lock':
      return snapshot.locks.find(({ key }) => key === subject.key) ?? null;
    case 'semaphore':
      return snapshot.semaphores.find(({ prefix }) => prefix === subject.prefix) ?? null;
    case 'session':
      return snapshot.sessions.some(({ id }) => id === subject.id) ? { kind: 'session' } : null;
  }
}

/** Whether a step may have changed what is seen of a subject. */
function isAbout({ patch }: Step, subject: Subject): boolean {
  switch (subject.kind) {
    case 'lock':
      return says(patch, 'locks', subject.key);
    case 'semaphore':
      return says(patch, 'semaphores', subject.prefix);
    case 'session':
      return says(patch, 'sessions', subject.id);
  }
}

const isThere = (row: Row): row is NonNullable<Row> => row !== null && (row.kind !== 'lock' || row.exists);

const holdersOf = (row: Row): readonly Party[] =>
  row?.kind === 'semaphore' ? row.holders.filter(({ verdict }) => verdict !== 'ghost') : [];

/**
 * Slots that the action opened in this semaphore. Holders who leave by themselves meanwhile open others, and who comes into those
 * comes for another reason.
 */
function openedIn(before: Semaphore, now: Semaphore, action: AuditEntry['action']): number {
  if (action === 'semaphore.prune') return before.holders.filter(({ verdict }) => verdict === 'ghost').length;
  if (action !== 'semaphore.resize') return 1;
  return now.limit === null || before.limit === null ? 0 : Math.max(0, now.limit - before.limit);
}

/** Whether as many have come as can come for this action. */
function isFilled(before: Row, now: Row, came: number, action: AuditEntry['action']): boolean {
  if (now?.kind !== 'semaphore' || before?.kind !== 'semaphore') return true;
  const there = new Set(now.holders.map(({ sessionId }) => sessionId));
  const stayed = before.holders.filter(({ sessionId }) => there.has(sessionId)).length;
  const opened = openedIn(before, now, action);
  const open = now.limit === null ? opened : Math.min(opened, now.limit - stayed);
  return came >= open || now.waiters.length === 0;
}

/** Who held or waited before, and which of them have left; `sessions`: all that there were. */
interface Earlier {
  readonly sessions: ReadonlySet<string>;
  readonly beside: readonly Party[];
  readonly left: readonly Party[];
}

/** Who came: only a world that moves shows anybody come, so what it says of them is of now. */
function takenBy(came: readonly Party[], earlier: Earlier): Seen {
  const told = came.slice(0, sessionsMax);
  const again = told.filter((party) => earlier.left.some((left) => hasReturned(left, party, earlier)));
  return {
    what: 'taken',
    by: told.map(({ sessionId }) => sessionId),
    ...(again.length === 0 ? {} : { again: again.map(({ sessionId }) => sessionId) }),
    whom: told.map((party) => whomOf(party, true)),
  };
}

/**
 * Those who waited when the limit was changed: Go's clients fail at once then, and what becomes of them is what the change did.
 * `left`: they are listed no more, and hold no slot.
 */
interface Queue {
  readonly waited: number;
  readonly waiting: Map<string, Party>;
  readonly left: { readonly party: Party; readonly afterMs: number }[];
}

function queueOf(before: Row, action: AuditEntry['action']): Queue | null {
  if (action !== 'semaphore.resize' || before?.kind !== 'semaphore') return null;
  const waiting = new Map(before.waiters.map((party) => [party.sessionId, party]));
  return { waited: waiting.size, waiting, left: [] };
}

/** Notes who of them is not where they were. */
function lookAtQueue({ waiting, left }: Queue, now: Row, afterMs: number): void {
  const { waiters = [], holders = [] } = now?.kind === 'semaphore' ? now : {};
  const listed = new Set(waiters.map(({ sessionId }) => sessionId));
  const came = new Set(holders.map(({ sessionId }) => sessionId));
  for (const [id, party] of waiting) {
    if (listed.has(id)) continue;
    waiting.delete(id);
    if (!came.has(id)) left.push({ party, afterMs });
  }
}

function queueTold({ waited, waiting, left }: Queue, whom: readonly Whom[]): Partial<Seen> {
  const told = left.slice(0, sessionsMax);
  return {
    waited,
    waiting: waiting.size,
    leftInAll: left.length,
    ...(told.length === 0
      ? {}
      : {
          left: told.map(({ party }) => party.sessionId),
          leftMs: told.map(({ afterMs }) => afterMs),
          // As they were named before: nothing shows them any more.
          whom: [...whom, ...told.map(({ party }) => whomOf(party, false))],
        }),
  };
}

/** What of a lock says that nobody held it at some look. */
const sawNobody: ReadonlySet<Seen['what']> = new Set<Seen['what']>(['nobody-came', 'in-delay', 'gone']);

function seenOfLock(was: Lock | null, now: Lock, last: Seen['what'], sessions: ReadonlySet<string>): Seen {
  // A new acquisition, by another session or by the same one again: of who was out also where a plain write lost the count.
  const taken =
    was === null ||
    now.holder?.sessionId !== was.holder?.sessionId ||
    tenureOf(was, now) === 'retaken' ||
    sawNobody.has(last);
  if (now.state === 'held' && taken) {
    const left = was?.holder == null ? [] : [was.holder];
    return takenBy(now.holder === null ? [] : [now.holder], { sessions, left, beside: [] });
  }
  if (now.state === 'delayed') return { what: 'in-delay', untilMs: now.delayedUntilMs };
  return { what: now.state === 'free' && was?.state !== 'free' ? 'nobody-came' : 'not-seen' };
}

/** What the row tells, compared with the row before the action (`null`: that was not in view), and after what was told `last`. */
function seenIn(
  before: Row,
  now: Row,
  { entry, limit, sessions }: Pick<FollowUp, 'entry' | 'limit'> & Pick<Earlier, 'sessions'>,
  last: Seen,
): Seen {
  // The name of an entry that is gone is in view for as long as its lock-delay runs.
  if (!isThere(now)) return { what: isThere(before) ? 'gone' : 'not-seen' };
  if (now.kind === 'session') return { what: 'not-seen' };
  if (now.kind === 'semaphore') {
    const was = holdersOf(before).map(({ sessionId }) => sessionId);
    const came = holdersOf(now).filter(({ sessionId }) => !was.includes(sessionId));
    if (came.length > 0) {
      const there = new Set(now.holders.map(({ sessionId }) => sessionId));
      const left = holdersOf(before).filter(({ sessionId }) => !there.has(sessionId));
      const waiters = before?.kind === 'semaphore' ? before.waiters : [];
      return takenBy(came, { sessions, left, beside: [...holdersOf(before), ...waiters] });
    }
    // It frees nothing, so that nobody came would be no news of it.
    if (entry.action === 'semaphore.resize') {
      const changed = before?.kind === 'semaphore' && before.limit !== now.limit && now.limit === limit;
      return { what: changed ? 'limit-changed' : 'not-seen' };
    }
    const moved = before?.kind !== 'semaphore' || before.modifyIndex !== now.modifyIndex;
    return { what: moved ? 'nobody-came' : 'not-seen' };
  }
  return seenOfLock(before?.kind === 'lock' ? before : null, now, last.what, sessions);
}

/** What is on record of a subject after one more look at it, `afterMs` after the outcome: of each step when it was first seen. */
function seenNext(last: Seen, seen: Seen, afterMs: number): Seen {
  if (seen.what === 'gone') return last.what === 'gone' ? last : { ...seen, afterMs };
  // Somebody else may have changed it back meanwhile.
  if (seen.what === 'not-seen' && last.what === 'limit-changed') return last;
  if (seen.what !== 'taken') return seen;
  const { by = [], again = [], whom = [], eachMs = [] } = last.what === 'taken' ? last : {};
  const more = (seen.by ?? []).flatMap((id, i) => (by.includes(id) ? [] : [{ id, whom: seen.whom?.[i] }]));
  // The name of one that came without may come later.
  const named = whom.map((one) =>
    one.label === null ? (seen.whom?.find(({ session }) => session === one.session) ?? one) : one,
  );
  const returned = [...new Set([...again, ...(seen.again ?? [])])];
  const all = {
    by: [...by, ...more.map(({ id }) => id)].slice(0, sessionsMax),
    ...(returned.length === 0 ? {} : { again: returned.slice(0, sessionsMax) }),
    whom: [...named, ...more.flatMap((one) => one.whom ?? [])].slice(0, sessionsMax),
    eachMs: [...eachMs, ...more.map(() => afterMs)].slice(0, sessionsMax),
  };
  return { what: 'taken', ...all, afterMs: last.what === 'taken' ? (last.afterMs ?? afterMs) : afterMs };
}

interface Watched {
  readonly subject: Subject;
  /** Of a resize, as it was last seen before its limit was. */
  before: Row;
  queue: Queue | null;
  seen: Seen;
  /** Of a resize: its limit was seen, so what is seen now may be its doing. */
  begun: boolean;
  settled: boolean;
  /** Runs while the name of its taker is waited for. */
  naming?: ReturnType<typeof setTimeout>;
}

/** Of a resize, whether its limit was seen by now. Who came and left before that did so for another reason. */
function hasBegun(one: Watched, row: Row, { entry, limit }: Pick<FollowUp, 'entry' | 'limit'>): boolean {
  if (one.begun || row?.kind !== 'semaphore') return one.begun;
  if (row.limit === limit) return true;
  // Nobody is listed as a holder in a record that cannot be read.
  if (row.recorded !== null) {
    one.before = row;
    one.queue = queueOf(row, entry.action);
  }
  return false;
}

/** A lock that was taken by one without a name, from one that had one: it may write its name in a moment. */
const isNameless = (before: Row, { what, whom = [] }: Seen): boolean =>
  before?.kind === 'lock' &&
  before.holder !== null &&
  isNamed(before.holder) &&
  what === 'taken' &&
  whom.some(({ label }) => label === null);

export function createFollowUps({
  write,
  now,
  watchMs = watchMsDefault,
  nameMs = nameMsDefault,
  max = maxDefault,
}: FollowUpsOptions): FollowUps {
  const running = new Set<(cutShort: boolean) => Promise<void>>();

  // Apart from the request that acted: it is answered long before.
  const follow = AsyncResource.bind((followUp: FollowUp) => {
    const { hub, before, subjects, entry, discreet } = followUp;
    if (running.size >= max || subjects.length === 0) return;
    const beganMs = now();
    const watched = subjects.slice(0, subjectsMax).map((subject): Watched => {
      const row = rowIn(before, subject);
      return {
        subject,
        before: row,
        queue: queueOf(row, entry.action),
        seen: { what: 'not-seen' },
        begun: entry.action !== 'semaphore.resize',
        settled: false,
      };
    });
    const earlier = { ...followUp, sessions: new Set(before.sessions.map(({ id }) => id)) };
    const look = (one: Watched, row: Row) => {
      if (one.settled) return;
      one.begun = hasBegun(one, row, followUp);
      if (!one.begun && row !== null) {
        // Also where it was gone for a time.
        one.seen = { what: 'not-seen' };
        return;
      }
      const seen = seenIn(one.before, row, earlier, one.seen);
      const afterMs = Math.max(0, now() - beganMs);
      // Who came is the answer, also when they have left again.
      if (one.seen.what !== 'taken' || seen.what === 'taken') one.seen = seenNext(one.seen, seen, afterMs);
      if (one.begun && one.queue !== null) lookAtQueue(one.queue, row, afterMs);
      const { what, by = [] } = one.seen;
      one.settled =
        (what === 'taken' &&
          (one.queue?.waiting.size ?? 0) === 0 &&
          isFilled(one.before, row, by.length, entry.action)) ||
        (what === 'gone' && one.subject.kind === 'session');
      if (!one.settled || !isNameless(one.before, one.seen)) return;
      one.settled = false;
      one.naming ??= setTimeout(() => {
        one.settled = true;
        if (ended()) void end(false);
      }, nameMs);
    };
    const ended = () => watched.every(({ settled }) => settled);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let leave = () => {};
    const end = async (cutShort: boolean) => {
      if (!running.delete(end)) return;
      for (const waits of [timer, ...watched.map(({ naming }) => naming)]) clearTimeout(waits);
      const { state } = hub.snapshot().source;
      leave();
      const followed: Followed = {
        watchedMs: now() - beganMs,
        cutShort,
        source: state,
        subjects: watched.map(({ subject, queue, begun, seen: of }) => {
          const told = begun && queue !== null ? queueTold(queue, of.whom ?? []) : {};
          const { whom, ...seen } = { ...of, ...told };
          return {
            subject: subjectId(subject),
            ...seen,
            ...(whom === undefined ? {} : { whom: whom.map((one) => keptWhom(one, discreet)) }),
          };
        }),
        more: subjects.length - watched.length,
      };
      const detail = discreet({ ...followed }) as unknown as AuditEntry['detail'];
      await write({ ...entry, kind: 'followed', detail });
    };
    running.add(end);
    const step = (moved: Step, after: Snapshot) => {
      for (const one of watched) if (isAbout(moved, one.subject)) look(one, rowIn(after, one.subject));
      if (ended()) void end(false);
    };
    ({ leave } = hub.subscribe({ step, closed: () => void end(true) }, null));
    const { source } = hub.snapshot();
    if (wasRead(source)) for (const one of watched) look(one, rowIn(hub.snapshot(), one.subject));
    const waited = watched.some(({ queue }) => queue !== null && queue.waiting.size > 0);
    timer = setTimeout(() => void end(false), waited ? watchMs * queueFactor : watchMs);
    timer.unref();
    if (ended()) void end(false);
  });

  return {
    follow,
    close: async () => {
      await Promise.all([...running].map((end) => end(true)));
    },
  };
}
