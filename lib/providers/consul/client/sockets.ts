/**
 * HTTP agents for calls to Consul, with what Node's lack:
 *
 * - A cap. An agent that accepts 200 connections from one address (`http_max_conns_per_client`) resets all others, the
 *   operator's command line included. Long polls and calls have pools of their own, shared by all credentials
 *   (`createBudget`).
 * - An end for a cut body. The `consul` package listens for `end` only, so a broken answer would hang until its
 *   timeout.
 * - A bound for an answer, which the package would collect whole.
 *
 * They also report whether a connection broke before it carried anything (Consul up to 1.8 silently closes connections
 * above its cap), and when an answer has begun.
 */
import { AsyncResource } from 'node:async_hooks';
import http from 'node:http';
import https from 'node:https';
import { answerBytesMaxDefault, type ConsulSettings, origin, type RenewalAgents } from './settings';
import { createSparePolls, type SparePolls } from './spare-polls';

type Base = http.Agent | https.Agent;

/** See `PackageError.opening`. */
function markOpening(request: http.ClientRequest): void {
  request.once('error', (error: Error & { opening?: boolean }) => {
    const { socket, reusedSocket } = request;
    error.opening = !reusedSocket && (socket?.bytesRead ?? 0) === 0;
  });
}

/** Set for the next request, because the package makes it before its call returns, and does not expose it. */
let onHeadOfNext: (() => void) | null = null;

/** Calls `onHead` at the head of the answer: the body may take long. */
export function hearHead<T>(onHead: () => void, ask: () => T): T {
  onHeadOfNext = onHead;
  try {
    return ask();
  } finally {
    onHeadOfNext = null;
  }
}

/** An answer beyond the limit of `bytes`. */
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
  // `addRequest` is the one place that sees each request.
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
  // Node ties a connection to the async contexts of its first and last request, and would keep everything in them
  // alive.
  inner.createConnection = AsyncResource.bind(inner.createConnection.bind(agent));
  inner.addRequest = AsyncResource.bind(inner.addRequest);
  return agent;
}

/**
 * Consul closes an unused connection after 120 s (`http_config.idle_timeout`, since 1.22.5), and a write sent at that
 * moment would have an unknown result.
 */
const idleMaxMs = 15_000;

function createSockets(settings: ConsulSettings, maxSockets: number): Base {
  // Node applies the timeout to unused connections only: every call sets its own.
  const options = { keepAlive: true, maxSockets, maxFreeSockets: maxSockets, timeout: idleMaxMs };
  const agent = settings.protocol === 'https' ? new https.Agent(options) : new http.Agent(options);
  return guardBody(agent, settings.answerBytesMax ?? answerBytesMaxDefault);
}

/** The sockets of all tokens. Consul takes the token from each request. */
export interface Sockets {
  /** For blocking queries. */
  readonly polls: Base;
  /** For all other calls. */
  readonly calls: Base;
  /** Ends every connection. */
  close(): void;
}

/** Close them when done. */
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

/** Most connections of all credentials: a quarter of an agent's cap per address. */
const socketsMax = 48;
/** Most connections for the parts of a large world (`watch/sharded-prefix.ts`). No watch depends on them. */
const socketsOfLarge = 48;
/** For reads of the hubs between two blocking queries, each perhaps a whole prefix. */
const readsMax = 6;
/** For heartbeats, actions and sign-ins, which must not wait behind those reads. */
const callsMax = 6;
/** Two follow the agent's log around a cut, and one marks it. */
const socketsOfMonitor = 3;
/**
 * The server's own credential and one operator's, without whom no sign-in is possible. With many prefixes they exceed
 * `socketsMax`.
 */
const credentialsMin = 2;

export interface SharedSockets extends Sockets {
  /** For non-blocking reads of the hubs. */
  readonly reads: Base;
  /** The free part of `polls`. */
  readonly spare: SparePolls;
}

/**
 * Opens the sockets that all credentials share, and computes how many credentials can watch at a time. Each keeps a
 * blocking query open per root, one for sessions and one for checks. Within that number no poll waits for another.
 * `among`: the sources behind this agent, its datacenters, which share its cap.
 */
export function createBudget(
  settings: ConsulSettings,
  {
    prefixes,
    renewalAgents,
    among = 1,
  }: { prefixes: readonly string[]; renewalAgents: RenewalAgents; among?: number | undefined },
): { readonly sockets: SharedSockets; readonly credentialsMax: number } {
  const polls = Math.max(1, prefixes.length) + 2;
  // The agent in use may be a server, and names the servers over a connection of its own.
  const follows =
    renewalAgents === 'servers'
      ? socketsOfMonitor + 1
      : renewalAgents.filter((agent) => origin(agent) === origin(settings)).length * socketsOfMonitor;
  const each = polls + follows;
  const fitting = Math.floor((socketsMax / among - readsMax - callsMax) / each);
  const credentialsMax = Math.max(credentialsMin, fitting);
  const total = Math.max(0, Math.floor((socketsMax + socketsOfLarge) / among) - readsMax - callsMax);
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
