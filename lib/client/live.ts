/**
 * The one writer of the query cache: keeps it equal to the server's snapshot. The stream comes through a SharedWorker
 * where there is one, otherwise from the page's own connection, which a page gives back while it stays hidden.
 */
import type { QueryClient } from '@tanstack/react-query';
import { apply } from '@/lib/domain/change';
import { type Identity, identityKey } from '@/lib/domain/identity';
import type { Problem } from '@/lib/domain/problem';
import type { Snapshot } from '@/lib/domain/snapshot';
import type { FromWorker, ToWorker } from './live-worker';
import { connectionQuery, snapshotQuery } from './queries';
import { type ConnectionState, followStream, workerName } from './stream';

/** A worker that has not answered by then never will: its script did not load, or was forbidden to run. */
const workerAnswersMs = 4_000;
/** Long enough to look something up in another tab and come back to a page that never stopped. */
const hiddenMaxMs = 60_000;

interface Sink {
  readonly snapshot: (snapshot: Snapshot) => void;
  readonly state: (state: ConnectionState) => void;
  readonly current: () => Snapshot | undefined;
  readonly signedOut: (problem: Problem) => void;
  readonly otherBuild: (name: string) => void;
}

/** What ends the following. `forget`: what was followed is not to be kept either, since its reader is signed out. */
export type EndLive = (how?: { readonly forget: boolean }) => void;

/** The page's own connection. Returns what ends it. */
function followHere({ snapshot, state, signedOut, otherBuild }: Sink, person: string): EndLive {
  const stream = followStream({
    onSnapshot: snapshot,
    onState: state,
    onSignedOut: signedOut,
    onOtherBuild: otherBuild,
    person,
  });
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

/** The connection that all pages share. `onSilent`: the worker does not answer. Returns what ends it. */
function followShared(
  { snapshot, state, current, signedOut, otherBuild }: Sink,
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
    else {
      const before = current();
      const after = before === undefined ? null : apply(before, data.patch);
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
  readonly client: QueryClient;
  /** For whom: what comes is this one's, or nothing. */
  readonly identity: Identity;
  /** The server ended the stream because the sign-in is over. */
  readonly onSignedOut: (problem: Problem) => void;
  /** The server is of another build than this page. */
  readonly onOtherBuild: (name: string) => void;
  readonly now?: () => number;
}

/** Starts to follow; call what it returns to end it. */
export function startLive({
  client,
  identity,
  onSignedOut,
  onOtherBuild,
  now = Date.now,
}: LiveOptions): EndLive {
  const person = identityKey(identity);
  let ended = false;
  const sink: Sink = {
    snapshot: (snapshot) => {
      // A message may still be on its way from the worker when the page has been cleared.
      if (!ended) client.setQueryData(snapshotQuery.queryKey, snapshot);
    },
    state: (state) => {
      client.setQueryData(connectionQuery.queryKey, (was) =>
        was?.state === state ? was : { state, sinceMs: now() },
      );
    },
    current: () => client.getQueryData(snapshotQuery.queryKey),
    signedOut: onSignedOut,
    otherBuild: onOtherBuild,
  };
  const worker = openWorker(person);
  let stop: EndLive = () => {};
  if (worker === null) stop = followHere(sink, person);
  else
    stop = followShared(sink, worker, () => {
      if (ended) return;
      stop();
      stop = followHere(sink, person);
    });
  return (how) => {
    ended = true;
    stop(how);
  };
}
