/**
 * The only writer of the live view. The stream comes through a SharedWorker where there is one, otherwise through the
 * page's own connection, whose code hardly any page needs.
 */

import { type Identity, identityKey } from '@/lib/domain/identity';
import type { Problem } from '@/lib/domain/problem';
import { apply } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import type { LiveView } from './live-view';
import type { FromWorker, ToWorker } from './live-worker';
import { serverClock } from './server-clock';
import { silenceMaxMs } from './silence';
import { type ConnectionState, followStream, type StreamOptions } from './stream';
import { workerName } from './worker-name';

/** A worker silent for this long never answers: its script did not load, or may not run. */
const workerAnswersMs = 4_000;
const codeAgainMs = 2_000;
/** Later, absent code counts as a silent stream, and the page is cut off. */
const codeComesMs = 8_000;

interface Sink {
  readonly snapshot: (snapshot: Snapshot) => void;
  readonly state: (state: ConnectionState) => void;
  readonly time: (atMs: number, contactMs: number | null) => void;
  readonly current: () => Snapshot;
  readonly signedOut: (problem: Problem) => void;
  readonly otherBuild: (name: string) => void;
}

/** `forget`: also drops the data, because its reader is signed out. */
export type EndLive = (how?: { readonly forget: boolean }) => void;

let ownStream: Promise<typeof import('./live')> | null = null;

/** After a rejection, the next call tries again. */
function fetchOwnStream(): Promise<typeof import('./live')> {
  ownStream ??= import('./live').catch((fault) => {
    ownStream = null;
    throw fault;
  });
  return ownStream;
}

/** Loads the stream in case the worker fails. A failure of this load shows only then. */
export async function fetchOwnStreamAhead(): Promise<void> {
  await fetchOwnStream().catch(() => {});
}

function followAlone(
  { snapshot, state, time, signedOut, otherBuild }: Sink,
  person: string,
  fetchCode: typeof fetchOwnStream,
): EndLive {
  let ended = false;
  let end = () => {};
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let timeout: ReturnType<typeof setTimeout> | undefined;
  const options = {
    onSnapshot: snapshot,
    onState: state,
    onSignedOut: signedOut,
    onOtherBuild: otherBuild,
    onTime: time,
    person,
  };
  const begin = () => {
    // An unanswered request does not fail, or only after minutes.
    timeout = setTimeout(() => state('lost'), codeComesMs);
    fetchCode().then(
      ({ followHere }) => {
        clearTimeout(timeout);
        if (!ended) end = followHere(options);
      },
      () => {
        clearTimeout(timeout);
        if (ended) return;
        // A server that does not serve the code would not serve the stream either.
        state('lost');
        retryTimer = setTimeout(begin, codeAgainMs);
      },
    );
  };
  begin();
  return () => {
    ended = true;
    clearTimeout(retryTimer);
    clearTimeout(timeout);
    end();
  };
}

/**
 * `onSilent`: the worker does not answer; `answered`: it did before. A browser may end a worker at any time, and a port
 * does not report that. So a page that hears nothing asks whether it is there.
 */
function followShared(
  { snapshot, state, time, current, signedOut, otherBuild }: Sink,
  worker: SharedWorker,
  onSilent: (answered: boolean) => void,
): EndLive {
  const { port } = worker;
  const post = (message: ToWorker) => port.postMessage(message);
  const fail = () => onSilent(false);
  let silent = setTimeout(fail, workerAnswersMs);
  const restartSilence = () => {
    clearTimeout(silent);
    silent = setTimeout(() => {
      post('there');
      // A page that slept reads the messages that wait before this is due.
      silent = setTimeout(() => onSilent(true), workerAnswersMs);
    }, silenceMaxMs);
  };
  worker.onerror = fail;
  port.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    restartSilence();
    worker.onerror = null;
    if (data.type === 'state') state(data.state);
    else if (data.type === 'snapshot') snapshot(data.snapshot);
    else if (data.type === 'signed-out') signedOut(data.problem);
    else if (data.type === 'other-build') otherBuild(data.build);
    else if (data.type === 'time') time(data.atMs, data.contactMs);
    else {
      const after = apply(current(), data.patch);
      if (after === null) post('hello');
      else snapshot(after);
    }
  };
  const hello = () => post('hello');
  const online = () => post('online');
  const bye = () => post('bye');
  window.addEventListener('online', online);
  // A port does not report that its page is gone. A page that returns from the back-forward cache says hello again.
  window.addEventListener('pagehide', bye);
  window.addEventListener('pageshow', hello);
  hello();
  return (how) => {
    clearTimeout(silent);
    // A worker that answers late would end the connection that replaced it, or overwrite its data.
    worker.onerror = null;
    port.onmessage = null;
    window.removeEventListener('online', online);
    window.removeEventListener('pagehide', bye);
    window.removeEventListener('pageshow', hello);
    post(how?.forget === true ? 'forget' : 'bye');
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
    // The browser's settings forbid it.
    return null;
  }
}

interface LiveOptions {
  readonly view: LiveView;
  /** The stream is this person's or refused. */
  readonly identity: Identity;
  readonly onSignedOut: (problem: Problem) => void;
  readonly onOtherBuild: (name: string) => void;
  readonly now?: () => number;
  /** Rejects on failure. */
  readonly fetchCode?: typeof fetchOwnStream;
}

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
   * The last contact by the server's own times, because a page that slept reads old messages only when it wakes. Before
   * the first one, the page itself came from the server.
   */
  let lastMessageMs = now();
  const sink: Sink = {
    snapshot: (snapshot) => {
      // A worker's message may still be on its way after the page was cleared.
      if (ended) return;
      // A quiet world may have an old time; a ping confirms it.
      lastMessageMs = Math.max(lastMessageMs, snapshot.asOfMs);
      view.snapshot.set(snapshot);
    },
    state: (state) => {
      if (view.connection.get().state === state) return;
      if (state === 'live') lastMessageMs = now();
      view.connection.set({ state, sinceMs: lastMessageMs });
    },
    time: (atMs, contactMs) => {
      lastMessageMs = atMs;
      serverClock.hear(atMs);
      view.contact.set(contactMs);
    },
    current: view.snapshot.get,
    signedOut: onSignedOut,
    otherBuild: onOtherBuild,
  };
  let stop: EndLive = () => {};
  const followAny = (worker: SharedWorker | null) => {
    if (worker === null) stop = followAlone(sink, person, fetchCode);
    else
      stop = followShared(sink, worker, (answered) => {
        if (ended) return;
        stop();
        if (answered) sink.state('lost');
        // A worker that has died is started anew, because a connection for each page would use up the browser's.
        followAny(answered ? openWorker(person) : null);
      });
  };
  followAny(openWorker(person));
  return (how) => {
    ended = true;
    stop(how);
  };
}

/** Long enough to look something up in another tab without a reconnect. */
const hiddenMaxMs = 60_000;

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
  if (document.visibilityState === 'hidden') onVisibility();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('online', stream.resume);
    clearTimeout(hiding);
    stream.pause();
  };
}
