/**
 * What follows an action: for half a minute the subjects are watched in the view of the person who acted, so with that
 * person's rights and at no cost to the backend, and what was seen is one more row of the audit.
 */
import { AsyncResource } from 'node:async_hooks';
import type { AuditEntry } from '@/lib/domain/actions/audit';
import type { Followed } from '@/lib/domain/actions/followed';
import { type Subject, subjectId } from '@/lib/domain/model';
import { nameMs as nameMsDefault } from '@/lib/domain/return';
import type { Step } from '@/lib/domain/world/change';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import { keptWhom } from '@/lib/server/audit/detail';
import type { Hub } from '@/lib/server/live/hub';
import type { Discreet } from '@/lib/server/process/scrub';
import {
  isAbout,
  isFilled,
  isNameless,
  lookAtQueue,
  type Queue,
  queueOf,
  queueTold,
  type Row,
  rowIn,
  type Seen,
  seenIn,
  seenNext,
} from './seen-after';

export interface FollowUp {
  readonly hub: Pick<Hub, 'subscribe' | 'snapshot'>;
  /** The world before the action. */
  readonly before: Snapshot;
  readonly subjects: readonly Subject[];
  /** Who, why and what: the row is this with kind `followed` and what was seen as its detail. */
  readonly entry: Omit<AuditEntry, 'kind' | 'detail'>;
  /** How many subjects the action had, where the entry names the first of them. */
  readonly beside?: AuditEntry['detail'];
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
      const detail = discreet({ ...followUp.beside, ...followed }) as unknown as AuditEntry['detail'];
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
