/**
 * The one writer of the query cache: keeps it equal to the server's snapshot. The stream comes through a SharedWorker
 * where there is one, otherwise from the page's own connection, which a page gives back while it stays hidden.
 */
import type { QueryClient } from '@tanstack/react-query';
import { apply } from '@/lib/domain/change';
import type { Snapshot } from '@/lib/domain/snapshot';
import type { FromWorker, ToWorker } from './live-worker';
import { connectionQuery, snapshotQuery } from './queries';
import { type ConnectionState, followStream } from './stream';

/** A worker that has not answered by then never will: its script did not load, or was forbidden to run. */
const workerAnswersMs = 4_000;
/** Long enough to look something up in another tab and come back to a page that never stopped. */
const hiddenMaxMs = 60_000;

interface Sink {
  readonly snapshot: (snapshot: Snapshot) => void;
  readonly state: (state: ConnectionState) => void;
  readonly current: () => Snapshot | undefined;
}

/** The page's own connection. Returns what ends it. */
function followHere({ snapshot, state }: Sink): () => void {
  const stream = followStream({ onSnapshot: snapshot, onState: state });
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
  { snapshot, state, current }: Sink,
  worker: SharedWorker,
  onSilent: () => void,
): () => void {
  const { port } = worker;
  const say = (message: ToWorker) => port.postMessage(message);
  const silent = setTimeout(onSilent, workerAnswersMs);
  worker.onerror = onSilent;
  port.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    clearTimeout(silent);
    worker.onerror = null;
    if (data.type === 'state') state(data.state);
    else if (data.type === 'snapshot') snapshot(data.snapshot);
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
  return () => {
    clearTimeout(silent);
    window.removeEventListener('online', online);
    window.removeEventListener('pagehide', bye);
    window.removeEventListener('pageshow', hello);
    bye();
    port.close();
  };
}

function openWorker(): SharedWorker | null {
  if (typeof SharedWorker === 'undefined') return null;
  try {
    return new SharedWorker(new URL('./live-worker.ts', import.meta.url), {
      name: 'signalbox',
      type: 'module',
    });
  } catch {
    // Forbidden by the browser's settings: the page can do it alone.
    return null;
  }
}

/** Starts to follow; call what it returns to end it. */
export function startLive({
  client,
  now = Date.now,
}: {
  client: QueryClient;
  now?: () => number;
}): () => void {
  const sink: Sink = {
    snapshot: (snapshot) => {
      client.setQueryData(snapshotQuery.queryKey, snapshot);
    },
    state: (state) => {
      client.setQueryData(connectionQuery.queryKey, (was) =>
        was?.state === state ? was : { state, sinceMs: now() },
      );
    },
    current: () => client.getQueryData(snapshotQuery.queryKey),
  };
  const worker = openWorker();
  let ended = false;
  let stop = () => {};
  if (worker === null) stop = followHere(sink);
  else
    stop = followShared(sink, worker, () => {
      if (ended) return;
      stop();
      stop = followHere(sink);
    });
  return () => {
    ended = true;
    stop();
  };
}
