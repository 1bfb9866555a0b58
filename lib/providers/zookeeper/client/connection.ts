/** One connection to one server: its greeting, requests in turn with their answers, pings, and its end. */
import { isProblem, type Problem } from '@/lib/domain/problem';
import {
  brokeOff,
  lostAnswer,
  notReached,
  notTaken,
  notUnderstood,
  type Reply,
  refusedUs,
  silent,
  tooLarge,
} from './failure';
import { createFrames, readFrame } from './jute';
import {
  auth,
  closeSession,
  connectFrame,
  errors,
  ping,
  type Request,
  readAnswer,
  readEvent,
  readWelcome,
  requestFrame,
  type Session,
  xids,
  type ZkEvent,
} from './message';
import { answerBytesMaxDefault, sessionMsDefault, type ZkServer, type ZkSettings } from './settings';
import { openSocket } from './socket';

export interface Connection {
  readonly session: Session;
  /** The session's time-out as the server grants it. */
  readonly timeoutMs: number;
  /** When the server last sent anything, by `now`. */
  heardMs(): number;
  /** The number of requests without an answer. */
  pending(): number;
  call<T>(request: Request<T>): Promise<Reply<T>>;
  /** Resolves with the reason. */
  readonly ended: Promise<Problem>;
  /** Ends the connection, and its session at the server. */
  close(): void;
}

export interface ConnectionOptions {
  readonly server: ZkServer;
  readonly settings: ZkSettings;
  readonly session: Session;
  /** The last transaction that was seen. */
  readonly zxid: bigint;
  readonly now: () => number;
  onZxid(zxid: bigint): void;
  onEvent(event: ZkEvent): void;
}

/** Longest time to connect and be greeted. */
const greetMs = 4_000;
/** Frequent, so that silence shows soon and the session stays alive. */
const pingMs = 2_000;
const lookMs = 500;
/** Longest time for a closing line to take its last bytes. */
const closeMs = 1_000;

/** The requested session has ended. */
export const expired = Symbol('expired');

interface Pending {
  readonly xid: number;
  readonly request: Request<unknown>;
  done(reply: Reply<unknown>): void;
}

/** Resolves once the server has greeted us and checked our credential. */
export async function openConnection(
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<Connection | Problem | typeof expired> {
  const { server, settings, now, onZxid, onEvent } = options;
  const bytesMax = settings.answerBytesMax ?? answerBytesMaxDefault;
  const socket = openSocket(server, settings, () => {
    const { session, zxid } = options;
    socket.write(connectFrame(session, zxid, settings.sessionMs ?? sessionMsDefault));
  });
  const frames = createFrames(bytesMax);
  const pending: Pending[] = [];
  let nextXid = 1;
  let lastContactMs = now();
  let askedMs = lastContactMs;
  let silentMs = greetMs;
  let end: Problem | null = null;
  let resolveEnd: (why: Problem) => void = () => {};
  const ended = new Promise<Problem>((resolve) => {
    resolveEnd = resolve;
  });
  let greeted: ((answer: Buffer | Problem) => void) | null = null;

  const finish = (why: Problem) => {
    if (end !== null) return;
    end = why;
    clearInterval(clock);
    signal.removeEventListener('abort', abort);
    socket.destroy();
    greeted?.(why);
    for (const { request, done } of pending.splice(0)) done(lostAnswer(why, request.writes));
    resolveEnd(why);
  };
  const abort = () => finish(brokeOff);

  let corked = false;
  /** Sends the requests of one turn together, because a system call for each costs more than all the rest. */
  const send = (frame: Buffer) => {
    if (!corked) {
      corked = true;
      socket.cork();
      setImmediate(() => {
        corked = false;
        socket.uncork();
      });
    }
    socket.write(frame);
  };
  const enqueue = <T>(xid: number, request: Request<T>): Promise<Reply<T>> =>
    new Promise((resolve) => {
      pending.push({ xid, request, done: resolve as (reply: Reply<unknown>) => void });
      send(requestFrame(xid, request));
    });

  const answered = (frame: Buffer) => {
    const answer = readAnswer(frame);
    if (answer === null) return finish(notUnderstood('header'));
    if (answer.zxid > 0n) onZxid(answer.zxid);
    if (answer.xid === xids.ping) return;
    if (answer.xid === xids.event) {
      const event = readEvent(answer.body);
      return event === null ? finish(notUnderstood('event')) : onEvent(event);
    }
    // Answers come in the order of the requests.
    const [first] = pending;
    if (first === undefined || first.xid !== answer.xid)
      return finish(notUnderstood(first?.request.call ?? 'unasked'));
    const value =
      answer.error === errors.ok
        ? readFrame(answer.body, (from) => ({ value: first.request.read(from) }))
        : { error: answer.error };
    // The request is still pending, so its answer counts as lost.
    if (value === null) return finish(notUnderstood(first.request.call));
    pending.shift();
    first.done(value);
  };

  const clock = setInterval(() => {
    const atMs = now();
    if (atMs - lastContactMs > silentMs) finish(silent(silentMs));
    else if (greeted === null && atMs - askedMs >= pingMs) {
      askedMs = atMs;
      send(requestFrame(xids.ping, ping));
    }
  }, lookMs);
  signal.addEventListener('abort', abort, { once: true });
  socket.on('error', (error) => finish(greeted === null ? brokeOff : failedToOpen(error)));
  socket.on('close', () => finish(greeted === null ? brokeOff : notTaken));
  socket.on('data', (piece: Buffer) => {
    lastContactMs = now();
    const whole = frames.take(piece);
    if (whole === null) return finish(tooLarge(bytesMax));
    for (const frame of whole) {
      if (end !== null) return;
      if (greeted !== null) greeted(frame);
      else answered(frame);
    }
  });

  const hello = await new Promise<Buffer | Problem>((resolve) => {
    greeted = (answer) => {
      greeted = null;
      resolve(answer);
    };
    if (signal.aborted) abort();
  });
  if (isProblem(hello)) return hello;
  const welcome = readWelcome(hello);
  if (welcome === null) {
    finish(notUnderstood('connect'));
    return notUnderstood('connect');
  }
  if (welcome.timeoutMs === 0) {
    finish(brokeOff);
    return expired;
  }
  silentMs = Math.floor((welcome.timeoutMs * 2) / 3);
  if (settings.digest !== null) {
    const known = await enqueue(xids.auth, auth('digest', settings.digest));
    if (isProblem(known)) return known;
    if ('error' in known) {
      finish(refusedUs);
      return refusedUs;
    }
  }
  return {
    ...welcome,
    heardMs: () => lastContactMs,
    pending: () => pending.length,
    call: (request) => {
      if (end !== null) return Promise.resolve(end);
      const xid = nextXid;
      nextXid = nextXid === 0x7fffffff ? 1 : nextXid + 1;
      return enqueue(xid, request);
    },
    ended,
    close: () => {
      if (end !== null) return;
      const timeout = setTimeout(() => finish(brokeOff), closeMs);
      ended.then(() => clearTimeout(timeout));
      // The server answers, and closes.
      enqueue(nextXid, closeSession).then(() => finish(brokeOff));
    },
  };
}

/** The failure of a way to a server. An `ECONNRESET` during the TLS handshake is one, too. */
const failedToOpen = (error: Error): Problem => ('code' in error ? notReached(error) : notTaken);
