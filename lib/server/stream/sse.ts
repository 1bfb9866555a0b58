/**
 * The hub as Server-Sent Events: `snapshot` (whole), `patch` (changed rows), `status` (a patch of the source only) and
 * `ping`. Pings bring the server's time, and their absence shows a browser that the server is gone.
 *
 * `signed-out` and `again` are the last events of streams that end by a decision of ours.
 *
 * The events with news have an id, `<instance>-<version>`. A returning viewer with its last id gets the patches since
 * then, or a snapshot if they are gone or from another instance.
 */
import type { Problem } from '@/lib/domain/problem';
import type { Why } from '@/lib/domain/refusal';
import { problemResponse, statusOf } from '@/lib/server/http/http';
import type { Asker } from '@/lib/server/http/limits';
import type { Filter } from '@/lib/server/live/filter';
import type { Hub } from '@/lib/server/live/hub';
import { type Encoding, encodingFor } from './encoding';
import { tellingOf, viewOf } from './event';
import { takeHandover } from './handover';
import { createPlaces, type Places } from './stream-quota';
import { controllerOutlet, type Outlet, ResponseOutlet } from './stream-writer';
import { type Follow, queueBytesMax, Viewer } from './viewer';

/** A browser gives up a server that was silent for a little more than two of these. */
const pingTicks = 3;
/** The interval once the backend has answered meanwhile. A page shows only the last answer that it knows. */
const contactTicks = 2;
const tickMs = 1_000;
/** A comment passes proxies that drop unknown events and end a connection that seems idle. */
const pingsToComment = 5;

/** The version in an event id of this instance; `null` for any other. */
export function readEventId(instance: string, id: string | null): number | null {
  if (id === null || !id.startsWith(`${instance}-`)) return null;
  const version = Number(id.slice(instance.length + 1));
  return Number.isSafeInteger(version) && version > 0 ? version : null;
}

export interface StreamRequest {
  readonly asker: Pick<Asker, 'identity' | 'address'>;
  readonly filter: Filter | null;
  /** `Last-Event-ID`, or the viewer's substitute for it. */
  readonly lastEventId: string | null;
  readonly signal: AbortSignal;
  readonly follow?: Follow;
}

export interface Streams {
  readonly count: number;
  /** A stream for one viewer, or `null` when all places are taken. */
  open(request: StreamRequest): ReadableStream<Uint8Array> | null;
  /** The same as a response: 503 when all places are taken, 429 when this caller has too many. */
  answer(request: StreamRequest, fetchRequest: Request): Response;
  /** Signs out every present and later viewer, and ends their streams. */
  end(problem: Problem): void;
  close(): void;
}

/** Headers that stop intermediaries from holding the stream back. */
const headersOf = (encoding: Encoding) => ({
  'content-type': 'text/event-stream; charset=utf-8',
  // `no-transform` keeps Next from compressing the stream, which would delay events.
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  // A kept-alive connection would delay the server's shutdown by seconds.
  connection: 'close',
  vary: 'accept-encoding',
  ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
});

/** The hint for programs. Our pages back off on their own (`lib/client/stream.ts`). */
const roomAgainSeconds = 10;

const noRoom: Why = { code: 'too-many-pages', facts: {} };

/** The server, or this caller, has no place left. */
export const turnAway = (why: Why = noRoom): Response =>
  problemResponse({ code: 'busy', why }, why === noRoom ? statusOf.busy : 429, {
    'retry-after': String(roomAgainSeconds),
  });

/** Streams of one hub, at most `max`, and none while the shared total `isFull`. `places`: shared as well. */
export function createStreams({
  hub,
  max,
  onBug,
  isFull = () => false,
  places = createPlaces(),
  now = Date.now,
}: {
  hub: Hub;
  max: number;
  onBug: (error: unknown) => void;
  isFull?: () => boolean;
  places?: Places;
  now?: () => number;
}): Streams {
  /** Viewers, each with the function that gives its place back. */
  const viewers = new Map<Viewer, () => void>();
  const around = {
    hub,
    onLeft: (viewer: Viewer) => {
      viewers.get(viewer)?.();
      viewers.delete(viewer);
    },
    onBug,
    now,
  };
  let ended: Problem | null = null;
  let beat = 0;
  let ticks = 0;
  let sentContactMs: number | null = null;
  const timer = setInterval(() => {
    ticks += 1;
    const { contactMs } = hub;
    if (ticks < (contactMs === sentContactMs ? pingTicks : contactTicks)) return;
    [ticks, sentContactMs] = [0, contactMs];
    beat += 1;
    if (viewers.size === 0) return;
    const { ping, withComment } = tellingOf(hub).pings;
    const event = (beat % pingsToComment === 0 ? withComment : ping)(now(), contactMs);
    for (const viewer of viewers.keys()) viewer.beat(event);
  }, tickMs);
  timer.unref();

  // A browser that left while waiting would never report its end again.
  const refusal = ({ signal, asker }: StreamRequest) =>
    viewers.size >= max || isFull() || signal.aborted ? noRoom : places.refusal(asker);
  const place = ({ filter, asker }: StreamRequest, outlet: Outlet, encoding: Encoding) => {
    const viewer = new Viewer(around, outlet, viewOf(filter, encoding));
    viewers.set(viewer, places.take(asker));
    return viewer;
  };
  const begin = (viewer: Viewer, { lastEventId, follow }: StreamRequest) =>
    viewer.begin({ since: readEventId(hub.instance, lastEventId), follow, ended });

  const open = (request: StreamRequest) => {
    if (refusal(request) !== null) return null;
    const { signal } = request;
    let viewer: Viewer | null = null;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const placed = place(request, controllerOutlet(controller, queueBytesMax), 'identity');
          viewer = placed;
          signal.addEventListener('abort', () => placed.closed(), { once: true });
          begin(placed, request);
        },
        pull: () => viewer?.drained(),
        cancel: () => viewer?.leave(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: queueBytesMax }),
    );
  };

  return {
    get count() {
      return viewers.size;
    },
    open,
    answer: (request, fetchRequest) => {
      const why = refusal(request);
      if (why !== null) return turnAway(why);
      const handover = takeHandover(fetchRequest);
      if (handover === null) return new Response(open(request), { headers: headersOf('identity') });
      const { response } = handover;
      // A response that waits behind another one has no socket, and would miss its end.
      if (response.destroyed || response.socket === null) return turnAway();
      const outlet = new ResponseOutlet(response);
      const encoding = encodingFor(fetchRequest.headers.get('accept-encoding'));
      const viewer = place(request, outlet, encoding);
      outlet.heed(viewer);
      handover.begin = () => begin(viewer, request);
      return new Response(null, { headers: headersOf(encoding) });
    },
    end: (problem) => {
      ended = problem;
      for (const viewer of [...viewers.keys()]) viewer.signOut(problem);
    },
    close: () => clearInterval(timer),
  };
}
