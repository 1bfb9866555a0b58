/**
 * HTTP agents for calls to Consul. Two things the plain Node agent lacks:
 *
 * - A cap. An agent that accepts 200 connections from one address resets every further one, the operator's own
 *   command line included (`http_max_conns_per_client`), so long polls and calls each get a bounded pool of their
 *   own: a call never waits behind a blocking query.
 * - An end for a body that is cut. The `consul` package listens for `end` only, so a connection that breaks in the
 *   middle of an answer would hang until its timeout, a minute for a blocking query. Here the request fails at once.
 *
 * And one fact that nobody else can tell: whether a connection broke before it had carried anything. Consul up to 1.8
 * closes the connections above its cap without a word, while those that are open go on.
 */
import http from 'node:http';
import https from 'node:https';
import type { ConsulSettings } from './settings';

type Base = http.Agent | https.Agent;

/** Marks the error of a request whose connection was new and had brought nothing. See `PackageError.opening`. */
function markOpening(request: http.ClientRequest): void {
  request.once('error', (error: Error & { opening?: boolean }) => {
    const { socket, reusedSocket } = request;
    error.opening = !reusedSocket && (socket?.bytesRead ?? 0) === 0;
  });
}

function failOnCutBody(agent: Base): Base {
  // `addRequest` is how `http.ClientRequest` hands itself to its agent; it is the one place that sees each request.
  const inner = agent as unknown as { addRequest(request: http.ClientRequest, ...rest: unknown[]): void };
  const addRequest = inner.addRequest.bind(agent);
  inner.addRequest = (request, ...rest) => {
    request.once('response', (response) => {
      response.on('error', (error) => request.emit('error', error));
    });
    markOpening(request);
    addRequest(request, ...rest);
  };
  return agent;
}

/** A keep-alive agent for these settings with at most `maxSockets` connections. */
function createSockets(settings: ConsulSettings, maxSockets: number): Base {
  const options = { keepAlive: true, maxSockets, maxFreeSockets: maxSockets };
  return failOnCutBody(settings.protocol === 'https' ? new https.Agent(options) : new http.Agent(options));
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
