/**
 * HTTP agents for calls to Consul. The plain Node agent lacks three things:
 *
 * - A cap. An agent that accepts 200 connections from one address (`http_max_conns_per_client`) resets all others, the
 *   operator's command line included. Long polls and calls each have a bounded pool, so no call waits behind a blocking
 *   query. All credentials share the pools of one address: see `createBudget`.
 * - An end for a body that is cut. The `consul` package listens for `end` only, so a connection that breaks within an
 *   answer would hang until its timeout, a minute for a blocking query. Here the request fails at once.
 * - A bound for an answer, which the package would collect whole.
 *
 * They also report two facts: whether a connection broke before it carried anything (Consul up to 1.8 silently closes
 * connections above its cap, while open ones continue), and when an answer has begun.
 */
import { AsyncResource } from 'node:async_hooks';
import http from 'node:http';
import https from 'node:https';
import { answerBytesMaxDefault, type ConsulSettings, origin } from './settings';
import { createSparePolls, type SparePolls } from './spare-polls';

type Base = http.Agent | https.Agent;

/** Marks the error of a request on a new connection that brought nothing. See `PackageError.opening`. */
function markOpening(request: http.ClientRequest): void {
  request.once('error', (error: Error & { opening?: boolean }) => {
    const { socket, reusedSocket } = request;
    error.opening = !reusedSocket && (socket?.bytesRead ?? 0) === 0;
  });
}

/** The listener of the next request: the package makes the request before its call returns, and does not expose it. */
let onHeadOfNext: (() => void) | null = null;

/** Makes a request by `ask`, and calls `onHead` at the head of its answer: the body may take long. */
export function hearHead<T>(onHead: () => void, ask: () => T): T {
  onHeadOfNext = onHead;
  try {
    return ask();
  } finally {
    onHeadOfNext = null;
  }
}

/** The error of a request whose answer was too long. `bytes`: the limit. */
export class AnswerTooLarge extends Error {
  readonly code = 'ANSWER_TOO_LARGE';
  constructor(readonly bytes: number) {
    super(`The answer has more than ${bytes} bytes.`);
  }
}

/** Ends the request when its answer exceeds `max` bytes. */
function boundBody(request: http.ClientRequest, response: http.IncomingMessage, max: number): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > max) request.destroy(new AnswerTooLarge(max));
  });
}

function guardBody(agent: Base, bytesMax: number): Base {
  // `http.ClientRequest` passes itself to its agent through `addRequest`, the one place that sees each request.
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
  // Node ties a connection to the async context of the request that opened it and of the last one, and would keep
  // everything stored in those contexts alive.
  inner.createConnection = AsyncResource.bind(inner.createConnection.bind(agent));
  inner.addRequest = AsyncResource.bind(inner.addRequest);
  return agent;
}

/**
 * An unused connection closes after this time. Consul closes it after 120 s (`http_config.idle_timeout`, since 1.22.5),
 * and a write sent at that moment would have an unknown result.
 */
const idleMaxMs = 15_000;

/** A keep-alive agent with at most `maxSockets` connections. */
function createSockets(settings: ConsulSettings, maxSockets: number): Base {
  // Node applies the timeout to unused connections only: every call sets its own.
  const options = { keepAlive: true, maxSockets, maxFreeSockets: maxSockets, timeout: idleMaxMs };
  const agent = settings.protocol === 'https' ? new https.Agent(options) : new http.Agent(options);
  return guardBody(agent, settings.answerBytesMax ?? answerBytesMaxDefault);
}

/** The connections to one agent, for all tokens: Consul takes the token from each request. */
export interface Sockets {
  /** For blocking queries. */
  readonly polls: Base;
  /** For all other calls. */
  readonly calls: Base;
  /** Ends every connection. */
  close(): void;
}

/** Caps the connections for blocking queries and for calls. Close them when done. */
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

/** Connections to the agent in use, of all credentials together: a quarter of an agent's cap per address. */
const socketsMax = 48;
/**
 * Additional ones for the parts of a world of tens of thousands of rows (`watch/sharded-prefix.ts`). No watch depends
 * on them.
 */
const socketsOfLarge = 48;
/** Reads of the hubs between two blocking queries, each perhaps a whole prefix. */
const readsMax = 6;
/** Heartbeats, actions and sign-ins, which must not wait behind the reads of the hubs. */
const callsMax = 6;
/** Two follow the agent's log where one is about to be cut, and one marks it. */
const socketsOfMonitor = 3;
/** The server's own, and one operator: fewer would prevent any sign-in. Many prefixes then exceed `socketsMax`. */
const credentialsMin = 2;

/** The sockets of all providers of one backend. */
export interface SharedSockets extends Sockets {
  /** For the hubs' non-blocking reads. */
  readonly reads: Base;
  /** The part of `polls` that is free now. */
  readonly spare: SparePolls;
}

/**
 * Opens the sockets that all credentials share, and computes how many credentials can watch at a time. Each keeps a
 * blocking query open per root, one for sessions and one for checks. Within that number no poll waits for another's,
 * and the rest is spare.
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
  // Kept-alive connections count against the agent's cap, too.
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
