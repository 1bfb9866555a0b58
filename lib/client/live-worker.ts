/**
 * The SharedWorker: one stream for all pages of a browser. Over HTTP/1.1 a browser opens six connections to one
 * host, so with a stream for each page the seventh tab would hang.
 *
 * There is one worker for each person who signs in: its name says for whom it is, and so does its stream. Snapshots of
 * two people never meet in one worker.
 *
 * To a page: its snapshot when it says hello, then patches, connection states, and the server's time. A page that cannot join a patch
 * says hello again.
 */

import type { Problem } from '@/lib/domain/problem';
import type { Patch } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { type ConnectionState, followStream, type Stream } from './stream';
import { personOfWorker } from './worker-name';

/** What the worker says to a page. */
export type FromWorker =
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly type: 'patch'; readonly patch: Patch }
  | { readonly type: 'state'; readonly state: ConnectionState }
  | { readonly type: 'other-build'; readonly build: string }
  | { readonly type: 'time'; readonly atMs: number; readonly contactMs: number | null }
  | { readonly type: 'signed-out'; readonly problem: Problem };

/**
 * What a page says: that it is here (or needs a snapshot), that the network is back, that it leaves; `forget`: that it
 * leaves because nobody is signed in any more for whom this worker is.
 */
export type ToWorker = 'hello' | 'online' | 'bye' | 'forget';

const ports = new Set<MessagePort>();
/** Said hello while we were not connected: what we have may be older than what the server rendered for them. */
const waiting = new Set<MessagePort>();
let snapshot: Snapshot | null = null;
let state: ConnectionState = 'connecting';
let stream: Stream | null = null;
/** The last time that was told, for who comes between two pings, and when by our own clock. */
let time: { readonly atMs: number; readonly contactMs: number | null; readonly heardMs: number } | null =
  null;
/** The server's, once it is another one than ours, which is that of our pages. */
let otherBuild: string | null = null;

const send = (port: MessagePort, message: FromWorker) => port.postMessage(message);
const sendAll = (message: FromWorker) => {
  for (const port of ports) send(port, message);
};

function greet(port: MessagePort): void {
  ports.add(port);
  send(port, { type: 'state', state });
  if (snapshot !== null && state === 'live') send(port, { type: 'snapshot', snapshot });
  else waiting.add(port);
  if (time !== null && state === 'live') {
    const { atMs, contactMs, heardMs } = time;
    send(port, { type: 'time', atMs: atMs + Date.now() - heardMs, contactMs });
  }
  if (otherBuild !== null) send(port, { type: 'other-build', build: otherBuild });
  if (stream !== null) {
    stream.resume();
    return;
  }
  stream = followStream({
    person: personOfWorker((globalThis as { name?: string }).name ?? ''),
    onSignedOut: (problem) => {
      forget();
      sendAll({ type: 'signed-out', problem });
    },
    onOtherBuild: (build) => {
      otherBuild = build;
      sendAll({ type: 'other-build', build });
    },
    onTime: (atMs, contactMs) => {
      time = { atMs, contactMs, heardMs: Date.now() };
      sendAll({ type: 'time', atMs, contactMs });
    },
    onSnapshot: (next, patch) => {
      snapshot = next;
      for (const one of ports)
        if (patch !== null && !waiting.has(one)) send(one, { type: 'patch', patch });
        else send(one, { type: 'snapshot', snapshot });
      waiting.clear();
    },
    onState: (next) => {
      if (next === state) return;
      state = next;
      // Resumed without news: what we have is what the server has.
      if (state === 'live' && snapshot !== null)
        for (const one of waiting) send(one, { type: 'snapshot', snapshot });
      if (state === 'live') waiting.clear();
      sendAll({ type: 'state', state });
    },
  });
}

function leave(port: MessagePort): void {
  ports.delete(port);
  waiting.delete(port);
  // A page in the back-forward cache may return, so the snapshot stays; the connection need not.
  if (ports.size === 0) stream?.pause();
}

/** Drops what this worker knows: the next page gets what the server says then. */
function forget(): void {
  stream?.pause();
  stream = null;
  snapshot = null;
  time = null;
}

const scope = globalThis as unknown as { onconnect: (event: MessageEvent) => void };
scope.onconnect = ({ ports: [port] }) => {
  if (port === undefined) return;
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if (data === 'hello') greet(port);
    else if (data === 'online') stream?.resume();
    else {
      leave(port);
      // Another page of the same person may be signed in again already, and follows by this stream.
      if (data === 'forget' && ports.size === 0) forget();
    }
  };
};
