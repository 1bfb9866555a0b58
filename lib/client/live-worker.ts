/**
 * The SharedWorker: one stream for all pages of a browser. Over HTTP/1.1 a browser opens six connections to one host,
 * so with a stream for each page the seventh tab would hang. Each person has a worker of their own, named after them.
 *
 * A page gets a snapshot when it says hello, then patches, connection states and the server's time. A page that cannot
 * apply a patch says hello again.
 */

import type { Problem } from '@/lib/domain/problem';
import type { Patch } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { type ConnectionState, followStream, type Stream } from './stream';
import { personOfWorker } from './worker-name';

export type FromWorker =
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly type: 'patch'; readonly patch: Patch }
  | { readonly type: 'state'; readonly state: ConnectionState }
  | { readonly type: 'other-build'; readonly build: string }
  | { readonly type: 'time'; readonly atMs: number; readonly contactMs: number | null }
  | { readonly type: 'signed-out'; readonly problem: Problem };

/**
 * `hello`: it is here, or needs a snapshot; `there`: it has heard nothing for long, and asks for any answer; `forget`: it
 * leaves because this worker's person is signed out.
 */
export type ToWorker = 'hello' | 'there' | 'online' | 'bye' | 'forget';

const ports = new Set<MessagePort>();
/** Pages that said hello while disconnected: our snapshot may be older than the one rendered for them. */
const waiting = new Set<MessagePort>();
let snapshot: Snapshot | null = null;
let state: ConnectionState = 'connecting';
let stream: Stream | null = null;
/** The time for pages that join between two pings; `heardMs` by our own clock. */
let time: { readonly atMs: number; readonly contactMs: number | null; readonly heardMs: number } | null =
  null;
/** Set once it differs from ours. */
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
      // Resumed without news: our snapshot is the server's.
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
  // A page in the back-forward cache may return, so the snapshot stays.
  if (ports.size === 0) stream?.pause();
}

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
    else if (data === 'there') send(port, { type: 'state', state });
    else if (data === 'online') stream?.resume();
    else {
      leave(port);
      // Another page of the same person may already be signed in again.
      if (data === 'forget' && ports.size === 0) forget();
    }
  };
};
