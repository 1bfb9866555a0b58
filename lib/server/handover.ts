/**
 * An answer that goes on for hours, without Next in between. Next hands a stream to the reader through two web streams and a
 * promise for each piece, and keeps everything that it made for the request until the end: 18 times the memory of Node's
 * own response and 3 times its work (docs/decisions/0029). So Next answers such a request with a head and no body, and as it
 * ends that answer, its writer takes over: what Next had made is done with, and the connection is as Node made it.
 *
 *   asked --route takes the response--> taken --Next ends it without a body--> handed over --either side ends--> closed
 *
 * Next hands no response to routes. As in `peer.ts`, each waits here under a number that the request carries in a header of
 * our own, set over anything that the client sent under that name.
 */
import { randomBytes } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

const headerName = 'x-signalbox-response';
/** Node tells of every request on this channel before it hands it to the server. */
const requests = channel('http.server.request.start');
/** Addresses that answer with a stream. */
const streaming = /^\/(?:api|embed)\/v1\/events\/?(?:\?|$)/;

/** Next loads several copies of a module into one process, and they must find the same responses. */
const place = globalThis as typeof globalThis & { [key: symbol]: Map<string, ServerResponse> | undefined };
const name = Symbol.for('signalbox.responses');

/** From now on a route that answers with a stream finds its response. Once is enough; again does nothing. */
export function observeResponses(): void {
  if (place[name] !== undefined) return;
  const waiting = new Map<string, ServerResponse>();
  place[name] = waiting;
  requests.subscribe((message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (headerName in request.headers) delete request.headers[headerName];
    if (request.method !== 'GET' || !streaming.test(request.url ?? '')) return;
    const number = randomBytes(16).toString('hex');
    request.headers[headerName] = number;
    waiting.set(number, response);
    const forget = () => void waiting.delete(number);
    // Answered in another way, or not at all.
    response.once('close', forget);
    // A response that waits behind another one of its connection is not told when that breaks; its request is.
    request.once('close', () => {
      if (request.socket.destroyed) forget();
    });
  });
}

/** The response to the request with these headers, once; `null` where it is not to be had, and Next has to carry the stream. */
export function takeResponse(headers: Pick<Headers, 'get'>): ServerResponse | null {
  const waiting = place[name];
  const number = headers.get(headerName) ?? '';
  const response = waiting?.get(number) ?? null;
  waiting?.delete(number);
  return response;
}

/** Calls `begin` when Next has sent the head of an answer without a body. Anything but a success ends as it would. */
export function whenHandedOver(response: ServerResponse, begin: () => void): void {
  const { end } = response;
  response.end = ((...rest: Parameters<typeof end>) => {
    response.end = end;
    if (response.statusCode !== 200) return end.apply(response, rest);
    // The end of the connection is the end of the stream. In chunks, each piece would go out as four.
    response.useChunkedEncodingByDefault = false;
    response.flushHeaders();
    strip(response);
    begin();
    return response;
  }) as typeof end;
}

const ignore = () => {};

/**
 * Takes away what was hung on a request and its response on the way here, since it would stay as long as they do: methods in
 * the place of Node's own, records under symbols that libraries share (Node's own are not shared), and whoever waits for the
 * end of an answer that Next has ended or of a body that there is none of. Nothing is deleted, as that would make an object
 * larger.
 */
function strip(response: ServerResponse): void {
  const { req: request } = response;
  for (const one of [response, request]) {
    const own = one as unknown as Record<PropertyKey, unknown>;
    const methods = Object.getPrototypeOf(one) as Record<string, unknown>;
    for (const [key, value] of Object.entries(own))
      if (typeof value === 'function' && key in methods) own[key] = methods[key];
    for (const symbol of Object.getOwnPropertySymbols(own))
      if (Symbol.keyFor(symbol) !== undefined) own[symbol] = undefined;
      // Of a head that is sent; `null` is what Node begins with.
      else if (symbol.description === 'kOutHeaders') own[symbol] = null;
    for (const event of ['close', 'error', 'drain', 'end']) one.removeAllListeners(event);
    // A connection that breaks is nobody's mistake; it closes.
    one.on('error', ignore);
  }
}
