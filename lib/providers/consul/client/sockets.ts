/**
 * HTTP agents for calls to Consul. Three things the plain Node agent lacks:
 *
 * - A cap. An agent that accepts 200 connections from one address resets every further one, the operator's own
 *   command line included (`http_max_conns_per_client`), so long polls and calls each get a bounded pool of their
 *   own: a call never waits behind a blocking query. All credentials share the pools of one address: see `createBudget`.
 * - An end for a body that is cut. The `consul` package listens for `end` only, so a connection that breaks in the
 *   middle of an answer would hang until its timeout, a minute for a blocking query. Here the request fails at once.
 *
 * - A bound for an answer, which the package would collect whole, however long it is.
 *
 * And two facts that nobody else can tell: whether a connection broke before it had carried anything (Consul up to 1.8
 * closes the connections above its cap without a word, while those that are open go on), and when an answer has begun.
 */
import { AsyncResource } from 'node:async_hooks';
import http from 'node:http';
import https from 'node:https';
import { answerBytesMaxDefault, type ConsulSettings, origin } from './settings';
import { createSparePolls, type SparePolls } from './spare-polls';

type Base = http.Agent | https.Agent;

/** Marks the error of a request whose connection was new and had brought nothing. See `PackageError.opening`. */
function markOpening(request: http.ClientRequest): void {
  request.once('error', (error: Error & { opening?: boolean }) => {
    const { socket, reusedSocket } = request;
    error.opening = !reusedSocket && (socket?.bytesRead ?? 0) === 0;
  });
}

/** Whose request comes next: the package makes it before its call returns, and tells nobody of it. */
let onHeadOfNext: (() => void) | null = null;

/** Makes a request by `ask`, and calls `onHead` when the head of its answer is there: the body may take long. */
export function hearHead<T>(onHead: () => void, ask: () => T): T {
  onHeadOfNext = onHead;
  try {
    return ask();
  } finally {
    onHeadOfNext = null;
  }
}

/** What a request fails with whose answer was too long to be read. `bytes`: the most that is read. */
export class AnswerTooLarge extends Error {
  readonly code = 'ANSWER_TOO_LARGE';
  constructor(readonly bytes: number) {
    super(`The answer has more than ${bytes} bytes.`);
  }
}

/** Ends the request once its answer has more than `max` bytes. */
function boundBody(request: http.ClientRequest, response: http.IncomingMessage, max: number): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > max) request.destroy(new AnswerTooLarge(max));
  });
}

function guardBody(agent: Base, bytesMax: number): Base {
  // `addRequest` is how `http.ClientRequest` hands itself to its agent; it is the one place that sees each request.
  const inner = agent as unknown as {
    addRequest(request: http.ClientRequest, ...rest: unknown[]): void;
    createConnection(...args: unknown[]): unknown;
  };
  const addRequest = inner.addRequest.bind(agent);
  inner.addRequest = (request, ...rest) => {
    const onHead = onHeadOfNext;
    request.once('response', (response) => {
      onHead?.();
      response.on('error', (error) => request.emit('error', error));
      boundBody(request, response, bytesMax);
    });
    markOpening(request);
    addRequest(request, ...rest);
  };
  // A connection outlives the request of the person for whom it was opened, or who used it last, and would keep all that is kept
  // with that one: Node notes both.
  inner.createConnection = AsyncResource.bind(inner.createConnection.bind(agent));
  inner.addRequest = AsyncResource.bind(inner.addRequest);
  return agent;
}

/**
 * An unused connection is closed after so long. Consul closes it after 120 s (`http_config.idle_timeout`, since 1.22.5),
 * and whether a write was made that goes out at that moment would not be known.
 */
const idleMaxMs = 15_000;

/** A keep-alive agent for these settings with at most `maxSockets` connections. */
function createSockets(settings: ConsulSettings, maxSockets: number): Base {
  // Node applies the timeout to unused connections only: every call sets one of its own.
  const options = { keepAlive: true, maxSockets, maxFreeSockets: maxSockets, timeout: idleMaxMs };
  const agent = settings.protocol === 'https' ? new https.Agent(options) : new http.Agent(options);
  return guardBody(agent, settings.answerBytesMax ?? answerBytesMaxDefault);
}

/** The connections to one agent, whoever's token goes over them: Consul takes it from each request. */
export interface Sockets {
  /** For blocking queries. */
  readonly polls: Base;
  /** For everything else. */
  readonly calls: Base;
  /** Ends every connection. */
  close(): void;
}

/** At most so many connections for blocking queries and for calls. Close them when done. */
export function openSockets(settings: ConsulSettings, max: { polls: number; calls: number }): Sockets {
  const polls = createSockets(settings, max.polls);
  const calls = createSockets(settings, max.calls);
  return {
    polls,
    calls,
    close: () => {
      polls.destroy();
      calls.destroy();
    },
  };
}

/** Connections to the agent in use, of all credentials together: a quarter of what an agent takes from one address. */
const socketsMax = 48;
/**
 * And for the parts of a world of tens of thousands of rows, which are as many as its rows ask for (`watch/split.ts`). Nobody's watch
 * counts on them.
 */
const socketsOfLarge = 48;
/** What the hubs read between two blocking queries, each of which may carry a whole prefix. */
const readsMax = 6;
/** Heartbeats, what people do, and who they are: none of it waits behind what the hubs read. */
const callsMax = 6;
/** Two follow the agent's log where one is about to be cut, one marks it. */
const socketsOfMonitor = 3;
/** The server's own, and one person: with fewer nobody could sign in. More prefixes then cost more than `socketsMax`. */
const credentialsMin = 2;

/** The sockets of all providers of one backend. */
export interface SharedSockets extends Sockets {
  /** For what the hubs read without waiting. */
  readonly reads: Base;
  /** What of `polls` nobody needs right now. */
  readonly spare: SparePolls;
}

/**
 * Opens the sockets that all credentials share, and says how many can be watched with at a time: each keeps a
 * blocking query open for every root, one for sessions and one for checks, so as many fit as there are polls to give.
 * With no more credentials than that no poll ever waits for another's. What they do not need is spare.
 */
export function createBudget(
  settings: ConsulSettings,
  { prefixes, renewalAgents }: { prefixes: readonly string[]; renewalAgents: readonly ConsulSettings[] },
): { readonly sockets: SharedSockets; readonly credentialsMax: number } {
  const polls = Math.max(1, prefixes.length) + 2;
  const here = renewalAgents.filter((agent) => origin(agent) === origin(settings)).length;
  const each = polls + here * socketsOfMonitor;
  const fitting = Math.floor((socketsMax - readsMax - callsMax) / each);
  const credentialsMax = Math.max(credentialsMin, fitting);
  const total = socketsMax + socketsOfLarge - readsMax - callsMax;
  const sockets = openSockets(settings, { polls: Math.max(total, polls * credentialsMax), calls: callsMax });
  const reads = createSockets(settings, readsMax);
  // Connections that were kept for the next poll count for the agent all the same.
  const closeFree = () => {
    for (const free of Object.values(sockets.polls.freeSockets)) for (const one of free ?? []) one.destroy();
  };
  return {
    sockets: {
      ...sockets,
      reads,
      spare: createSparePolls({ total, each, onLess: closeFree }),
      close: () => {
        sockets.close();
        reads.destroy();
      },
    },
    credentialsMax,
  };
}
