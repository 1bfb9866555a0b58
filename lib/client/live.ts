/**
 * The one writer of the live view: keeps it equal to the server's snapshot. The stream comes through a SharedWorker
 * where there is one, otherwise from the page's own connection (`own-stream.ts`), whose code nearly no page needs.
 */

import { type Identity, identityKey } from '@/lib/domain/identity';
import type { Problem } from '@/lib/domain/problem';
import { apply } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { LiveView } from './live-view';
import type { FromWorker, ToWorker } from './live-worker';
import { serverClock } from './server-clock';
import { type ConnectionState, followStream, type StreamOptions } from './stream';
import { workerName } from './worker-name';

/** A worker that has not answered by then never will: its script did not load, or was forbidden to run. */
const workerAnswersMs = 4_000;
/** A page that follows by itself and does not get the code for it asks again so often. */
const codeAgainMs = 2_000;
/** Code that is not there by then is as good as a stream that says nothing for so long (`stream.ts`): the page is cut off. */
const codeComesMs = 8_000;

interface Sink {
  readonly snapshot: (snapshot: Snapshot) => void;
  readonly state: (state: ConnectionState) => void;
  /** The server's clock showed this when it sent a ping, and when the backend answered last. */
  readonly time: (atMs: number, contactMs: number | null) => void;
  readonly current: () => Snapshot;
  readonly signedOut: (problem: Problem) => void;
  readonly otherBuild: (name: string) => void;
}

/** What ends the following. `forget`: what was followed is not to be kept either, since its reader is signed out. */
export type EndLive = (how?: { readonly forget: boolean }) => void;

let ownStream: Promise<typeof import('./live')> | null = null;

/** Fetches what a page follows with by itself. Rejects when it does not come, and the next call tries again. */
function fetchOwnStream(): Promise<typeof import('./live')> {
  ownStream ??= import('./live').catch((fault) => {
    ownStream = null;
    throw fault;
  });
  return ownStream;
}

/** Has it at hand for when the worker fails; whether it has come is seen then. */
export async function fetchOwnStreamAhead(): Promise<void> {
  await fetchOwnStream().catch(() => {});
}

/** The page's own connection. Returns what ends it. */
function followAlone(
  { snapshot, state, time, signedOut, otherBuild }: Sink,
  person: string,
  fetchCode: typeof fetchOwnStream,
): EndLive {
  let ended = false;
  let end = () => {};
  let again: ReturnType<typeof setTimeout> | undefined;
  let late: ReturnType<typeof setTimeout> | undefined;
  const options = {
    onSnapshot: snapshot,
    onState: state,
    onSignedOut: signedOut,
    onOtherBuild: otherBuild,
    onTime: time,
    person,
  };
  const begin = () => {
    // A request that nobody answers does not fail either, or only after minutes.
    late = setTimeout(() => state('lost'), codeComesMs);
    fetchCode().then(
      ({ followHere }) => {
        clearTimeout(late);
        if (!ended) end = followHere(options);
      },
      () => {
        clearTimeout(late);
        if (ended) return;
        // The server that does not give the code would not give the stream either.
        state('lost');
        again = setTimeout(begin, codeAgainMs);
      },
    );
  };
  begin();
  return () => {
    ended = true;
    clearTimeout(again);
    clearTimeout(late);
    end();
  };
}

/** The connection that all pages share. `onSilent`: the worker does not answer. Returns what ends it. */
function followShared(
  { snapshot, state, time, current, signedOut, otherBuild }: Sink,
  worker: SharedWorker,
  onSilent: () => void,
): EndLive {
  const { port } = worker;
  const say = (message: ToWorker) => port.postMessage(message);
  const silent = setTimeout(onSilent, workerAnswersMs);
  worker.onerror = onSilent;
  port.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    clearTimeout(silent);
    worker.onerror = null;
    if (data.type === 'state') state(data.state);
    else if (data.type === 'snapshot') snapshot(data.snapshot);
    else if (data.type === 'signed-out') signedOut(data.problem);
    else if (data.type === 'other-build') otherBuild(data.build);
    else if (data.type === 'time') time(data.atMs, data.contactMs);
    else {
      const after = apply(current(), data.patch);
      if (after === null) say('hello');
      else snapshot(after);
    }
  };
  const hello = () => say('hello');
  const online = () => say('online');
  const bye = () => say('bye');
  window.addEventListener('online', online);
  // A port does not tell when its page is gone. One that comes back from the back-forward cache says hello again.
  window.addEventListener('pagehide', bye);
  window.addEventListener('pageshow', hello);
  hello();
  return (how) => {
    clearTimeout(silent);
    // A worker that fails or answers too late would cut what follows instead of it, or write over it.
    worker.onerror = null;
    port.onmessage = null;
    window.removeEventListener('online', online);
    window.removeEventListener('pagehide', bye);
    window.removeEventListener('pageshow', hello);
    say(how?.forget === true ? 'forget' : 'bye');
    port.close();
  };
}

function openWorker(person: string): SharedWorker | null {
  if (typeof SharedWorker === 'undefined') return null;
  try {
    return new SharedWorker(new URL('./live-worker.ts', import.meta.url), {
      name: workerName(person),
      type: 'module',
    });
  } catch {
    // Forbidden by the browser's settings: the page can do it alone.
    return null;
  }
}

interface LiveOptions {
  readonly view: LiveView;
  /** For whom: what comes is this one's, or nothing. */
  readonly identity: Identity;
  /** The server ended the stream because the sign-in is over. */
  readonly onSignedOut: (problem: Problem) => void;
  /** The server is of another build than this page. */
  readonly onOtherBuild: (name: string) => void;
  readonly now?: () => number;
  /** Fetches the code of the page's own connection; rejects when it does not come. */
  readonly fetchCode?: typeof fetchOwnStream;
}

/** Starts to follow; call what it returns to end it. */
export function startLive({
  view,
  identity,
  onSignedOut,
  onOtherBuild,
  now = serverClock.now,
  fetchCode = fetchOwnStream,
}: LiveOptions): EndLive {
  const person = identityKey(identity);
  let ended = false;
  /**
   * When the server was last heard. By the times that it tells itself, where it does: a page that was asleep reads what was
   * said before that only when it wakes. Before anything was heard it is the page itself, which came from the server.
   */
  let heardMs = now();
  const sink: Sink = {
    snapshot: (snapshot) => {
      // A message may still be on its way from the worker when the page has been cleared.
      if (ended) return;
      // A quiet world may be as of long ago; that it is still so was heard with a ping.
      heardMs = Math.max(heardMs, snapshot.asOfMs);
      view.snapshot.set(snapshot);
    },
    state: (state) => {
      if (view.connection.get().state === state) return;
      if (state === 'live') heardMs = now();
      view.connection.set({ state, sinceMs: heardMs });
    },
    time: (atMs, contactMs) => {
      heardMs = atMs;
      serverClock.hear(atMs);
      view.contact.set(contactMs);
    },
    current: view.snapshot.get,
    signedOut: onSignedOut,
    otherBuild: onOtherBuild,
  };
  const worker = openWorker(person);
  let stop: EndLive = () => {};
  if (worker === null) stop = followAlone(sink, person, fetchCode);
  else
    stop = followShared(sink, worker, () => {
      if (ended) return;
      stop();
      stop = followAlone(sink, person, fetchCode);
    });
  return (how) => {
    ended = true;
    stop(how);
  };
}

/** Long enough to look something up in another tab and come back to a page that never stopped. */
const hiddenMaxMs = 60_000;

/** Follows until it is called off by what this returns. */
export function followHere(options: StreamOptions): () => void {
  const stream = followStream(options);
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const onVisibility = () => {
    clearTimeout(hiding);
    if (document.visibilityState === 'hidden') hiding = setTimeout(stream.pause, hiddenMaxMs);
    else stream.resume();
  };
  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('online', stream.resume);
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('online', stream.resume);
    clearTimeout(hiding);
    stream.pause();
  };
}
