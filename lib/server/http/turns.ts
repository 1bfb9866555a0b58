/**
 * Answers are made one at a time, and clients take turns: forty pages made at once would delay every other answer until
 * the last one is done.
 *
 *   asked --its client waits for as many as it may--> refused
 *        '--waits--> begun --answered, its client left, or the thread is idle--> over, and the next client's begins
 *
 * A turn that waits for Consul or a slow reader is over, as it does not use the thread. Pages and data have separate
 * turns.
 */
import { AsyncResource } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { tooOften } from './limits';

export type Lane = 'page' | 'data';

export interface RequestTurn {
  /** Never for a turn that ended before. */
  readonly begun: Promise<void>;
  /** Calls after the first do nothing. */
  end(): void;
}

export interface RequestTurns {
  /** A request has arrived, and will ask. */
  heard(): void;
  /**
   * `client`: the owner of the turn. `onCost` receives its processor time. Throws 429 when this client has no place
   * left in the queue.
   */
  ask(lane: Lane, client: string, onCost: (ms: number) => void): RequestTurn;
}

/** Passed in, so that tests need no load. */
export interface Thread {
  /** Numbers of this process so far. */
  cpuMs(): number;
  /** The returned function gives the idle milliseconds since its last call. */
  idleWatch(): () => number;
}

export const thisThread: Thread = {
  cpuMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  idleWatch: () => {
    let last = performance.eventLoopUtilization();
    return () => {
      const now = performance.eventLoopUtilization();
      const idleMs = now.idle - last.idle;
      last = now;
      return idleMs;
    };
  },
};

/** An address may have 200 people, whose pages all ask after a restart. */
const waitingMaxDefault = { client: 1_000, all: 5_000 } as const;
const againMs = 5_000;
const lookMs = 5;
/** With this much idle time in one check, a turn waits for something else. */
const idleMaxMs = 2.5;
/** Longest turn on a thread that is never idle. */
const turnMsMax = 1_000;

/** Checks without a new request before the next turn begins, and the most in all. */
const quietLooks = 3;
const looksMax = 500;

interface QueuedRequest {
  readonly lane: Lane;
  readonly client: string;
  readonly begin: () => void;
  readonly onCost: (ms: number) => void;
  state: 'waiting' | 'begun' | 'over';
  costMs: number;
  beganAtMs: number;
  idleMs: () => number;
}

/** Clients in order of arrival. The client of the last turn goes to the end. */
class Queue {
  private readonly waiting = new Map<string, Set<QueuedRequest>>();
  private last = '';
  count = 0;
  of(client: string): number {
    return this.waiting.get(client)?.size ?? 0;
  }
  add(request: QueuedRequest): void {
    const own = this.waiting.get(request.client) ?? new Set();
    this.waiting.set(request.client, own.add(request));
    this.count += 1;
  }
  remove(request: QueuedRequest): void {
    const own = this.waiting.get(request.client);
    if (own?.delete(request) !== true) return;
    this.count -= 1;
    if (own.size === 0) this.waiting.delete(request.client);
  }
  take(): QueuedRequest | null {
    const own = this.waiting.get(this.last);
    if (own !== undefined) {
      this.waiting.delete(this.last);
      this.waiting.set(this.last, own);
    }
    for (const [client, [request]] of this.waiting) {
      if (request === undefined) continue;
      this.last = client;
      this.remove(request);
      return request;
    }
    return null;
  }
}

export function createTurns({
  thread = thisThread,
  now = () => performance.now(),
  waitingMax = waitingMaxDefault,
}: {
  readonly thread?: Thread;
  readonly now?: () => number;
  readonly waitingMax?: { readonly client: number; readonly all: number };
} = {}): RequestTurns {
  const lanes: Record<Lane, { held: QueuedRequest | null; rests: boolean; readonly queue: Queue }> = {
    page: { held: null, rests: false, queue: new Queue() },
    data: { held: null, rests: false, queue: new Queue() },
  };
  let arrivals = 0;
  const begun = () => Object.values(lanes).flatMap(({ held }) => held ?? []);
  let sharedMs = 0;
  /** Charges the processor time since the last call to the begun turns. */
  const share = () => {
    const cpuMs = thread.cpuMs();
    const all = begun();
    for (const one of all) one.costMs += (cpuMs - sharedMs) / all.length;
    sharedMs = cpuMs;
  };
  let watched = false;
  // The timer would keep the request that sets it in memory.
  const watch = AsyncResource.bind(() => {
    if (watched) return;
    watched = true;
    setTimeout(() => {
      watched = false;
      for (const turn of begun())
        if (turn.idleMs() >= idleMaxMs || now() - turn.beganAtMs >= turnMsMax) end(turn);
      if (begun().length > 0) watch();
    }, lookMs).unref();
  });
  /**
   * Lets new requests in before the next turn. Node accepts one connection per loop iteration, so behind forty of one
   * client another's would wait for forty turns.
   */
  const pause = (lane: Lane, left = looksMax, quiet = 0, before = arrivals) => {
    lanes[lane].rests = left > 0 && quiet < quietLooks;
    if (!lanes[lane].rests) next(lane);
    else
      setImmediate(() => {
        const isQuiet = arrivals === before && (lane === 'data' || lanes.data.held === null);
        pause(lane, left - 1, isQuiet ? quiet + 1 : 0, arrivals);
      });
  };
  const next = (lane: Lane) => {
    const place = lanes[lane];
    if (place.held !== null || place.rests) return;
    share();
    place.held = place.queue.take();
    if (place.held === null) return;
    place.held.state = 'begun';
    place.held.beganAtMs = now();
    place.held.idleMs = thread.idleWatch();
    place.held.begin();
    watch();
  };
  const end = (turn: QueuedRequest) => {
    const { state, lane } = turn;
    turn.state = 'over';
    if (state === 'waiting') lanes[lane].queue.remove(turn);
    if (state !== 'begun') return;
    share();
    lanes[lane].held = null;
    turn.onCost(turn.costMs);
    pause(lane);
  };
  return {
    heard: () => {
      arrivals += 1;
    },
    ask: (lane, client, onCost) => {
      const { queue } = lanes[lane];
      if (queue.of(client) >= waitingMax.client || queue.count >= waitingMax.all) throw tooOften(againMs);
      let begin = () => {};
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const turn: QueuedRequest = {
        lane,
        client,
        begin,
        onCost,
        state: 'waiting',
        costMs: 0,
        beganAtMs: 0,
        idleMs: () => 0,
      };
      queue.add(turn);
      next(lane);
      return { begun, end: () => end(turn) };
    },
  };
}
