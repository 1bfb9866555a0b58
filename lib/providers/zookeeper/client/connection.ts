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
  /** As the server grants it. */
  readonly timeoutMs: number;
  /** When the server was last heard of, by the clock that was passed in. */
  heardMs(): number;
  /** Requests whose answers are out. */
  pending(): number;
  call<T>(request: Request<T>): Promise<Reply<T>>;
  /** Resolves with the reason. */
  readonly ended: Promise<Problem>;
  /** Ends it, and at the server its session. */
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

/** To connect, and to be greeted. */
const greetMs = 4_000;
/** So that silence shows soon, and a session goes on. */
const pingMs = 2_000;
const lookMs = 500;
/** A line takes what is written to it for so long after its end was asked for. */
const closeMs = 1_000;

/** The session that was asked for is over. */
export const expired = Symbol('expired');

interface Pending {
  readonly xid: number;
  readonly request: Request<unknown>;
  done(reply: Reply<unknown>): void;
}

/** Resolves once the server has greeted us, and knows who we are. */
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
  /** Requests of one turn go out together: a call of the system for each costs more than all the rest. */
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
    // It is still among those whose answers are lost.
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

/** What is wrong on the way to a server; `ECONNRESET` while TLS is agreed upon too. */
const failedToOpen = (error: Error): Problem => ('code' in error ? notReached(error) : notTaken);
