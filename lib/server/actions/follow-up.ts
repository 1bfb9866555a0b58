/**
 * Watches the subjects of an action for half a minute after it, and writes one more row of the audit. The watch uses the
 * view of the person who acted, so it has that person's rights, and costs the backend nothing.
 */
import { AsyncResource } from 'node:async_hooks';
import { type Action, descriptorOf, followsQueue } from '@/lib/domain/actions/action';
import {
  type Aftermath,
  type AftermathStep,
  aftermathOf,
  isAnswered,
  isNameAwaited,
  look,
  nameMs as nameMsDefault,
  type Place,
  patienceMs,
  queuePatienceMs,
  rowIn,
  type ShownCode,
  takersOf,
} from '@/lib/domain/actions/aftermath';
import type { AuditEntry, Followed, FollowedSubject } from '@/lib/domain/actions/audit';
import { type Subject, subjectId } from '@/lib/domain/model';
import { partOf } from '@/lib/domain/source-state';
import { lockName, semaphoreName, sessionName } from '@/lib/domain/subject';
import { says, type WorldStep } from '@/lib/domain/world/change';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import { keptWhom } from '@/lib/server/audit/detail';
import type { Hub } from '@/lib/server/live/hub';
import type { Discreet } from '@/lib/server/process/scrub';

export interface FollowUp {
  readonly hub: Pick<Hub, 'subscribe' | 'snapshot'>;
  readonly before: Snapshot;
  readonly subjects: readonly Subject[];
  /** The common part of the rows; this one adds kind `followed` and the observations. */
  readonly entry: Omit<AuditEntry, 'kind' | 'detail'>;
  /** The number of subjects, where the entry names only the first ones. */
  readonly beside?: AuditEntry['detail'];
  readonly action: Action;
  /** Removes the caller's token from the row. */
  readonly discreet: Discreet;
}

export interface FollowUps {
  /** Starts to watch. Beyond `max` at a time an action is not watched, and gets no row. */
  follow(followUp: FollowUp): void;
  /** Writes the observations so far, marked as cut short, and stops watching. */
  close(): Promise<void>;
}

export interface FollowUpsOptions {
  /** Writes a row, however many tries it takes; never rejects. */
  readonly write: (entry: AuditEntry) => Promise<void>;
  readonly now: () => number;
  readonly watchMs?: number;
  /** Longest wait for the name of a taker. */
  readonly nameMs?: number;
  /** Actions watched at a time. */
  readonly max?: number;
}

const maxDefault = 200;
/** Most watched subjects of one action. A prune may name hundreds. */
const subjectsMax = 20;
const sessionsMax = 20;

/** The word in the row for each code; the other codes describe no state of a subject. */
const whatOf: { readonly [C in ShownCode]?: FollowedSubject['what'] } = {
  'entry-gone': 'gone',
  'session-gone': 'gone',
  delayed: 'in-delay',
  'lock-free': 'nobody-came',
  'record-written': 'nobody-came',
  limit: 'limit-changed',
  available: 'permits-changed',
};

/** True when a step may have changed the view of a subject. */
function isAbout({ patch }: WorldStep, subject: Subject): boolean {
  switch (subject.kind) {
    case 'lock':
      return says(patch, 'locks', lockName(subject));
    case 'semaphore':
      return says(patch, 'semaphores', semaphoreName(subject));
    case 'session':
      return says(patch, 'sessions', sessionName(subject));
  }
}

/** One subject in the form of the row. Times count from `beganMs`. */
function followedSubject(
  place: Place,
  { action }: Aftermath,
  beganMs: number,
  discreet: Discreet,
): FollowedSubject {
  const { subject, shows, before, begun, waiting, seen } = place;
  const after = ({ atMs }: Pick<AftermathStep, 'atMs'>) => Math.max(0, atMs - beganMs);
  const sessions = (some: readonly AftermathStep[]) => some.map(({ whom }) => whom?.session ?? '');
  const left = seen.filter(({ code }) => code === 'waits-not');
  const firstLeft = left.slice(0, sessionsMax);
  const came = takersOf(place).slice(0, sessionsMax);
  const returned = came.filter(({ code }) => code === 'returned');
  const shown = (shows === null ? null : whatOf[shows.code]) ?? 'not-seen';
  // The lock was free before a waiter was woken or left its queue, so its state alone proves nothing.
  const isFree = seen.some(({ code }) => code === 'gone') || descriptorOf(action).invites === true;
  const what = came.length > 0 ? 'taken' : shown === 'not-seen' && isFree ? 'nobody-came' : shown;
  const first = came[0] ?? (what === 'gone' ? shows : null);
  const whom = [...came, ...firstLeft].flatMap((one) =>
    one.whom === null ? [] : keptWhom(one.whom, discreet),
  );
  return {
    subject: subjectId(subject),
    what,
    ...(came.length === 0 ? {} : { by: sessions(came), eachMs: came.map(after) }),
    ...(returned.length === 0 ? {} : { again: sessions(returned) }),
    ...(first === null ? {} : { afterMs: after(first) }),
    ...(what === 'in-delay' ? { untilMs: shows?.untilMs ?? null } : {}),
    ...(begun && followsQueue(action) && before?.kind === 'semaphore'
      ? { waited: before.waiters.length, waiting: waiting.length, leftInAll: left.length }
      : {}),
    ...(firstLeft.length === 0 ? {} : { left: sessions(firstLeft), leftMs: firstLeft.map(after) }),
    ...(whom.length === 0 ? {} : { whom }),
  };
}

interface Watched {
  place: Place;
  /** No further step can change the row. */
  settled: boolean;
  /** Runs while the name of the taker is awaited. */
  naming?: ReturnType<typeof setTimeout>;
}

export function createFollowUps({
  write,
  now,
  watchMs = patienceMs,
  nameMs = nameMsDefault,
  max = maxDefault,
}: FollowUpsOptions): FollowUps {
  const running = new Set<(cutShort: boolean) => Promise<void>>();

  // The request is answered long before, and its context must be freed.
  const follow = AsyncResource.bind((followUp: FollowUp) => {
    const { hub, before, subjects, entry, action, discreet } = followUp;
    if (running.size >= max || subjects.length === 0) return;
    const beganMs = now();
    const aftermath = aftermathOf(action, subjects.slice(0, subjectsMax), before);
    const watched = aftermath.places.map((place): Watched => ({ place, settled: false }));
    const lookAt = (one: Watched, world: Snapshot) => {
      if (one.settled) return;
      const row = rowIn(world, one.place.subject);
      one.place = look(one.place, row, aftermath, now());
      if (!isAnswered(one.place, row, aftermath)) return;
      if (!isNameAwaited(one.place)) {
        one.settled = true;
        return;
      }
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
      const { source } = hub.snapshot();
      const { state } = partOf(source, action.source) ?? source;
      leave();
      const followed: Followed = {
        watchedMs: now() - beganMs,
        cutShort,
        source: state,
        subjects: watched.map(({ place }) => followedSubject(place, aftermath, beganMs, discreet)),
        more: subjects.length - watched.length,
      };
      const detail = discreet({ ...followUp.beside, ...followed }) as unknown as AuditEntry['detail'];
      await write({ ...entry, kind: 'followed', detail });
    };
    running.add(end);
    const step = (moved: WorldStep, after: Snapshot) => {
      for (const one of watched) if (isAbout(moved, one.place.subject)) lookAt(one, after);
      if (ended()) void end(false);
    };
    ({ leave } = hub.subscribe({ step, closed: () => void end(true) }, null));
    const { source } = hub.snapshot();
    if (wasRead(partOf(source, action.source) ?? source))
      for (const one of watched) lookAt(one, hub.snapshot());
    const waits = watched.some(({ place }) => place.waiting.length > 0);
    timer = setTimeout(() => void end(false), waits ? (watchMs * queuePatienceMs) / patienceMs : watchMs);
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
