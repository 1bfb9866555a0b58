/**
 * Follows the server's event stream and keeps the snapshot equal to the hub's. Runs in a page, or once for all pages of
 * a browser in a SharedWorker.
 *
 *   connecting --snapshot, patches or ping--> live --nothing for 8 s, or an error--> lost --backoff--> connecting
 *
 * A minute may pass between the head of an answer and its first event, over a thin line. A `signed-out` event ends the
 * stream for good.
 *
 * An `again` event ends a stream whose reader must show the present cookie. Nothing is wrong and nothing was missed, so
 * it stays live over the change to a new connection, for as long as any silence may last.
 *
 * A patch that does not fit means that one was missed: the stream reopens without an id, for a whole snapshot. An event
 * that is not sound (`validate-event.ts`) does the same after a rest. Where unreadable news follows each snapshot (a tab from
 * before an upgrade), the rests grow.
 */
import { otherBuilds } from '@/lib/domain/build';
import { isProblem, type Problem } from '@/lib/domain/problem';
import { apply, type Patch } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { paths } from './paths';
import { silenceMaxMs } from './silence';
import { pingContact, pingTime, readPatch, readSnapshot } from './validate-event';

export type ConnectionState = 'live' | 'connecting' | 'lost';

/** Longest time from the head of an answer to its first event, which a browser delivers only with its last byte. */
const firstMaxMs = 60_000;
const retryMs = {
  min: 500,
  /** No answer: the server may be back at any moment. */
  max: 8_000,
  /** The server has no room, or its news cannot be read. Retries must not add load. */
  refusedMax: 60_000,
};
/** `EventSource.CLOSED`: the answer was not a stream. */
const closed = 2;

export interface StreamOptions {
  /** `patch`: from the snapshot before; `null` when the snapshot came whole. */
  readonly onSnapshot: (snapshot: Snapshot, patch: Patch | null) => void;
  readonly onState: (state: ConnectionState) => void;
  /** No retry until `resume`. */
  readonly onSignedOut?: (problem: Problem) => void;
  readonly onOtherBuild?: (name: string) => void;
  readonly onTime?: (atMs: number, contactMs: number | null) => void;
  /** The `identityKey` of the stream's person: the server refuses it to any other. `null`: no check. */
  readonly person?: string | null;
  readonly open?: (url: string) => EventSource;
  readonly random?: () => number;
}

export interface Stream {
  /** Connects now unless connected. */
  resume(): void;
  /** `resume` continues from the present version. */
  pause(): void;
}

/** The end stands even if the reason cannot be read. */
function problemOf(text: string): Problem {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isProblem(parsed)) return parsed;
  } catch {
    // Spoiled on its way.
  }
  return { code: 'signed-out' };
}

export function followStream({
  onSnapshot,
  onState,
  onSignedOut = () => {},
  onOtherBuild = () => {},
  onTime = () => {},
  person = null,
  open = (url) => new EventSource(url),
  random = Math.random,
}: StreamOptions): Stream {
  let source: EventSource | null = null;
  let snapshot: Snapshot | null = null;
  let lastId: string | null = null;
  let failures = 0;
  /** Unreadable patches since the last readable one. */
  let doubts = 0;
  const hearBuild = otherBuilds(onOtherBuild);
  /** Something came on the present connection. */
  let heard = false;
  let silence: ReturnType<typeof setTimeout> | undefined;
  /** The end of the time in which a new connection may still be called live for what the last one said. */
  let unconfirmed: ReturnType<typeof setTimeout> | undefined;
  /** The deadline by the clock, which advances while timers sleep. */
  let dueMs = Number.POSITIVE_INFINITY;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const close = () => {
    clearTimeout(silence);
    clearTimeout(unconfirmed);
    clearTimeout(retry);
    source?.close();
    source = null;
  };
  const onLost = (refused = false) => {
    close();
    onState('lost');
    const maxMs = refused ? retryMs.refusedMax : retryMs.max;
    const stepMs = Math.min(maxMs, retryMs.min * 2 ** Math.min(failures, 10));
    failures += 1;
    retry = setTimeout(connect, stepMs * (0.5 + random() / 2));
  };
  const restartSilence = (maxMs = silenceMaxMs) => {
    clearTimeout(silence);
    dueMs = Date.now() + maxMs;
    silence = setTimeout(() => onLost(), maxMs);
  };
  const alive = () => {
    failures = 0;
    heard = true;
    clearTimeout(unconfirmed);
    restartSilence();
    onState('live');
  };
  const show = (next: Snapshot, patch: Patch | null, id: string) => {
    snapshot = next;
    lastId = id;
    onSnapshot(next, patch);
    alive();
  };
  const doubt = () => {
    lastId = null;
    // A snapshot in between was no success.
    failures = Math.max(failures, doubts);
    doubts += 1;
    onLost(true);
  };
  const onWhole = (event: MessageEvent<string>) => {
    const next = readSnapshot(event.data);
    if (next === null) {
      lastId = null;
      onLost();
    } else show(next, null, event.lastEventId);
  };
  const onPatch = (event: MessageEvent<string>) => {
    const patch = readPatch(event.data);
    if (patch === null) return doubt();
    const next = snapshot === null ? null : apply(snapshot, patch);
    if (next !== null) {
      doubts = 0;
      show(next, patch, event.lastEventId);
      return;
    }
    // The version fits but the contents do not: an immediate snapshot would be followed by the same patch.
    if (patch.from === snapshot?.version) return doubt();
    lastId = null;
    connect();
  };

  function connect(): void {
    close();
    heard = false;
    const opened = open(paths.api.events(person, lastId));
    source = opened;
    const on = (name: string, listener: (event: MessageEvent<string>) => void) =>
      opened.addEventListener(name, (event) => {
        // A closed stream may still have events on their way.
        if (source !== opened) return;
        // After a sleep, old events may be read before the silence is noticed.
        if (Date.now() > dueMs && name !== 'signed-out') onLost();
        else listener(event as MessageEvent<string>);
      });
    on('snapshot', onWhole);
    on('patch', onPatch);
    on('status', onPatch);
    // After a resume without news, the first ping confirms the present snapshot.
    on('ping', ({ data }) => {
      const atMs = pingTime(data);
      // This comes before any rendering, which needs this time.
      if (atMs !== null) onTime(atMs, pingContact(data));
      alive();
      hearBuild(data);
    });
    on('signed-out', (event) => {
      close();
      // The stream after the next sign-in starts without a version.
      snapshot = null;
      lastId = null;
      onState('connecting');
      onSignedOut(problemOf(event.data));
    });
    on('again', () => {
      // A server that says nothing else must not be asked without a rest.
      if (!heard) return onLost();
      connect();
      // A first event may take far longer than a silence.
      unconfirmed = setTimeout(() => onState('lost'), silenceMaxMs);
    });
    on('open', () => restartSilence(firstMaxMs));
    on('error', () => onLost(opened.readyState === closed));
    restartSilence();
  }

  connect();
  return {
    resume: () => {
      if (source !== null) return;
      failures = 0;
      connect();
    },
    pause: () => {
      close();
      onState('connecting');
    },
  };
}
