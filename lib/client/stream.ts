/**
 * Follows the server's event stream and keeps the snapshot equal to the hub's. Runs in a page, or once for all pages
 * of a browser in a SharedWorker; it needs nothing of either.
 *
 *   connecting --snapshot, patches or ping--> live --nothing for 8 s, or an error--> lost --backoff--> connecting
 *
 * Between the head of an answer and its first event a minute may go by: a large world comes slowly over a thin line.
 *
 * The server may end it for good, with an event: then nobody is signed in any more for whom this stream was opened.
 *
 * A patch that does not join the version at hand means that one was missed: the stream is opened anew without an id,
 * which brings a whole snapshot. So is it, after a rest, for an event that is not sound (`sound.ts`): passed over, it would
 * leave a world on show that is wrong, and called live. Where each whole snapshot is followed by news that cannot be read
 * (a tab that was opened before the server became another one), it is asked for ever more seldom: it may be many megabytes.
 */
import { otherBuilds } from '@/lib/domain/build';
import { isProblem, type Problem } from '@/lib/domain/problem';
import { apply, type Patch } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { paths } from './paths';
import { pingContact, pingTime, readPatch, readSnapshot } from './sound';

/** Of the browser to Signalbox, not of Signalbox to its backend. */
export type ConnectionState = 'live' | 'connecting' | 'lost';

/** The server sends a ping every 3 s at least. */
const silenceMaxMs = 8_000;
/**
 * From the head of an answer to its first event: a whole world of many megabytes, of which a browser tells nothing before its
 * last byte. Nothing is called live meanwhile.
 */
const firstMaxMs = 60_000;
const retryMs = {
  min: 500,
  /** Nobody answers: it may be back at any moment. */
  max: 8_000,
  /** The server answers that it has no room, or what it says cannot be read. Neither must be a load of its own. */
  refusedMax: 60_000,
};
/** `EventSource.CLOSED`: there was an answer, and it was no stream. After a broken connection it would still be connecting. */
const closed = 2;

export interface StreamOptions {
  /** A snapshot; and the patch that led to it from the one before, `null` when it came whole. */
  readonly onSnapshot: (snapshot: Snapshot, patch: Patch | null) => void;
  readonly onState: (state: ConnectionState) => void;
  /** The server ended the stream because the sign-in behind it is over. Nothing is tried again until `resume`. */
  readonly onSignedOut?: (problem: Problem) => void;
  /** The server has become another build than this code is of. */
  readonly onOtherBuild?: (name: string) => void;
  /** The server's clock showed this when it sent a ping, and when the backend answered last. */
  readonly onTime?: (atMs: number, contactMs: number | null) => void;
  /** The `identityKey` of whom the stream is for: the server refuses it to anybody else. `null`: whoever asks. */
  readonly person?: string | null;
  readonly open?: (url: string) => EventSource;
  readonly random?: () => number;
}

export interface Stream {
  /** Connects now, if it does not follow already: after a pause, or when the network came back. */
  resume(): void;
  /** Gives the connection back. `resume` goes on from the version at hand. */
  pause(): void;
}

/** Why the server ended it. That it did stands, whatever is said of it. */
function problemOf(text: string): Problem {
  try {
    const said: unknown = JSON.parse(text);
    if (isProblem(said)) return said;
  } catch {
    // Spoiled on its way.
  }
  return { code: 'signed-out' };
}

/** Connects at once; `pause` ends it. */
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
  /** Patches that could not be read, since the last one that could. */
  let doubts = 0;
  const hearBuild = otherBuilds(onOtherBuild);
  let silence: ReturnType<typeof setTimeout> | undefined;
  /** When the silence is too long, by the clock that goes on while timers sleep. */
  let dueMs = Number.POSITIVE_INFINITY;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const close = () => {
    clearTimeout(silence);
    clearTimeout(retry);
    source?.close();
    source = null;
  };
  const lose = (refused = false) => {
    close();
    onState('lost');
    const maxMs = refused ? retryMs.refusedMax : retryMs.max;
    const stepMs = Math.min(maxMs, retryMs.min * 2 ** Math.min(failures, 10));
    failures += 1;
    retry = setTimeout(connect, stepMs * (0.5 + random() / 2));
  };
  const heard = (maxMs = silenceMaxMs) => {
    clearTimeout(silence);
    dueMs = Date.now() + maxMs;
    silence = setTimeout(() => lose(), maxMs);
  };
  const alive = () => {
    failures = 0;
    heard();
    onState('live');
  };
  const become = (next: Snapshot, patch: Patch | null, id: string) => {
    snapshot = next;
    lastId = id;
    onSnapshot(next, patch);
    alive();
  };
  /** A patch cannot be read. */
  const doubt = () => {
    lastId = null;
    // A snapshot that came in between was no success.
    failures = Math.max(failures, doubts);
    doubts += 1;
    lose(true);
  };
  const onWhole = (event: MessageEvent<string>) => {
    const next = readSnapshot(event.data);
    if (next === null) {
      lastId = null;
      lose();
    } else become(next, null, event.lastEventId);
  };
  const onPatch = (event: MessageEvent<string>) => {
    const patch = readPatch(event.data);
    if (patch === null) return doubt();
    const next = snapshot === null ? null : apply(snapshot, patch);
    if (next !== null) {
      doubts = 0;
      become(next, patch, event.lastEventId);
      return;
    }
    // It joins, and says something of what is not there: a whole snapshot at once would be followed by the next such.
    if (patch.from === snapshot?.version) return doubt();
    lastId = null;
    connect();
  };

  function connect(): void {
    close();
    const opened = open(paths.api.events(person, lastId));
    source = opened;
    const on = (name: string, listener: (event: MessageEvent<string>) => void) =>
      opened.addEventListener(name, (event) => {
        // A closed stream may still have events on their way.
        if (source !== opened) return;
        // Whoever was asleep finds what came before that in the queue, and may read it before the silence is noticed.
        if (Date.now() > dueMs && name !== 'signed-out') lose();
        else listener(event as MessageEvent<string>);
      });
    on('snapshot', onWhole);
    on('patch', onPatch);
    on('status', onPatch);
    // After a resume without news, the first ping says that the snapshot at hand is the current one.
    on('ping', ({ data }) => {
      const atMs = pingTime(data);
      // Before anything else is drawn by it.
      if (atMs !== null) onTime(atMs, pingContact(data));
      alive();
      hearBuild(data);
    });
    on('signed-out', (event) => {
      close();
      // What comes after the next sign-in begins anew.
      snapshot = null;
      lastId = null;
      onState('connecting');
      onSignedOut(problemOf(event.data));
    });
    on('open', () => heard(firstMaxMs));
    on('error', () => lose(opened.readyState === closed));
    heard();
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
