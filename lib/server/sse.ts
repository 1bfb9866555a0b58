/**
 * The hub as Server-Sent Events. Events: `snapshot` (whole), `patch` (rows changed), `status` (a patch in which only
 * the source changed), and `ping`, by whose absence a browser notices a server that is gone without a word.
 *
 * Every event but `ping` has an id, `<instance>-<version>`: a viewer that comes back with the last one it saw gets
 * the patches since then, or a snapshot when they are no longer there or belong to another instance.
 */
import type { Patch } from '@/lib/domain/change';
import type { Problem } from '@/lib/domain/problem';
import type { Snapshot } from '@/lib/domain/snapshot';
import { type Filter, filterPatch, filterSnapshot } from './filter';
import type { Hub } from './hub';
import { spokenProblem } from './spoken';

/** A browser gives a server up that was silent for longer than two of these and a little. */
export const pingMs = 3_000;
/** A comment passes proxies that know nothing of our events and end a connection that seems idle. */
const pingsToComment = 5;
/** Bytes that may wait for one viewer; beyond it is slow, and gets a snapshot when it has caught up. */
const queueBytesMax = 1024 * 1024;
/** How long a browser waits before it connects anew by itself. */
const retryMs = 1_000;

const encoder = new TextEncoder();
const event = (name: string, id: string | null, data: unknown) =>
  encoder.encode(`event: ${name}\n${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`);
const ping = event('ping', null, {});
const comment = encoder.encode(': still here\n\n');

const isStatus = ({ upsert, remove }: Patch) =>
  [...Object.values(upsert), ...Object.values(remove)].every((list) => list.length === 0);

/** Encodes each event once, however many viewers get it. */
function createEncoding(instance: string) {
  const known = new WeakMap<object, Uint8Array>();
  const once = (key: object, encode: () => Uint8Array) => {
    const bytes = known.get(key) ?? encode();
    known.set(key, bytes);
    return bytes;
  };
  return {
    snapshot: (snapshot: Snapshot) =>
      once(snapshot, () => event('snapshot', `${instance}-${snapshot.version}`, snapshot)),
    patch: (patch: Patch) =>
      once(patch, () => event(isStatus(patch) ? 'status' : 'patch', `${instance}-${patch.to}`, patch)),
  };
}

/** The version in an event id of this instance; `null` for any other. */
export function readEventId(instance: string, id: string | null): number | null {
  if (id === null || !id.startsWith(`${instance}-`)) return null;
  const version = Number(id.slice(instance.length + 1));
  return Number.isSafeInteger(version) && version > 0 ? version : null;
}

export interface StreamRequest {
  readonly filter: Filter | null;
  /** `Last-Event-ID`, or what the viewer gave in its place. */
  readonly lastEventId: string | null;
  readonly signal: AbortSignal;
  /** Calls `tell` once, when the viewer may not look on, or with `null` when they are to ask again. Returns what stops that. */
  readonly follow?: (tell: (problem: Problem | null) => void) => () => void;
}

export interface Streams {
  readonly count: number;
  /** A stream for one viewer, or `null` when there are as many as are allowed. */
  open(request: StreamRequest): ReadableStream<Uint8Array> | null;
  /** Tells every viewer, and everyone who comes later, that they may not look on, and ends their streams. */
  end(problem: Problem): void;
  close(): void;
}

/** Streams of one hub, `max` at a time. */
export function createStreams({ hub, max }: { hub: Hub; max: number }): Streams {
  const encoding = createEncoding(hub.instance);
  const beats = new Set<(bytes: Uint8Array) => void>();
  const viewers = new Set<(problem: Problem) => void>();
  let ended: Problem | null = null;
  let beat = 0;
  const timer = setInterval(() => {
    beat += 1;
    for (const send of [...beats]) {
      if (beat % pingsToComment === 0) send(comment);
      send(ping);
    }
  }, pingMs);
  timer.unref();

  const open = ({ filter, lastEventId, signal, follow }: StreamRequest) => {
    // A browser that left while it waited would never be heard to leave again.
    if (beats.size >= max || signal.aborted) return null;
    let leave = () => {};
    /** The version that this viewer has; `null` once it has missed one and needs a snapshot. */
    let version: number | null = null;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const room = () => (controller.desiredSize ?? 0) > 0;
          const sendSnapshot = (snapshot: Snapshot) => {
            version = snapshot.version;
            controller.enqueue(encoding.snapshot(filterSnapshot(snapshot, filter)));
          };
          const sendPatch = (patch: Patch) => {
            const part = filterPatch(patch, filter, hub.snapshot().sessions);
            if (part === null || version === null) return;
            controller.enqueue(encoding.patch(part.from === version ? part : { ...part, from: version }));
            version = patch.to;
          };
          const subscription = hub.subscribe(
            {
              patch: (patch) => {
                // What is missed now comes in one snapshot when the viewer has read what waits for it (`pull`).
                if (!room()) version = null;
                else sendPatch(patch);
              },
              closed: () => {
                leave();
                controller.close();
              },
            },
            readEventId(hub.instance, lastEventId),
          );
          const onBeat = (bytes: Uint8Array) => {
            if (room()) controller.enqueue(bytes);
          };
          const abort = () => {
            leave();
            controller.close();
          };
          const signOut = (problem: Problem) => {
            leave();
            controller.enqueue(event('signed-out', null, spokenProblem(problem)));
            controller.close();
          };
          let unfollow = () => {};
          leave = () => {
            leave = () => {};
            subscription.leave();
            beats.delete(onBeat);
            viewers.delete(signOut);
            signal.removeEventListener('abort', abort);
            unfollow();
          };
          beats.add(onBeat);
          viewers.add(signOut);
          signal.addEventListener('abort', abort, { once: true });
          controller.enqueue(encoder.encode(`retry: ${retryMs}\n\n`));
          if (ended !== null) return signOut(ended);
          unfollow = follow?.((problem) => (problem === null ? abort() : signOut(problem))) ?? unfollow;
          const { start } = subscription;
          if (start.from === 'snapshot') sendSnapshot(start.snapshot);
          else {
            version = readEventId(hub.instance, lastEventId);
            for (const patch of start.patches) sendPatch(patch);
            controller.enqueue(ping);
          }
        },
        pull: (controller) => {
          if (version !== null) return;
          const snapshot = hub.snapshot();
          version = snapshot.version;
          controller.enqueue(encoding.snapshot(filterSnapshot(snapshot, filter)));
        },
        cancel: () => leave(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: queueBytesMax }),
    );
  };

  return {
    get count() {
      return beats.size;
    },
    open,
    end: (problem) => {
      ended = problem;
      for (const signOut of [...viewers]) signOut(problem);
    },
    close: () => clearInterval(timer),
  };
}

/** A stream as an answer that nothing on its way holds back. */
export function streamResponse(stream: ReadableStream<Uint8Array>): Response {
  return new Response(stream, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      // `no-transform` keeps Next from compressing the stream, which would hold events back.
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      // Kept open for another request, the connection would hold up the end of the server by seconds.
      connection: 'close',
    },
  });
}
