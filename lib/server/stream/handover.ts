/**
 * An answer that goes on for hours is given before Next sees its request. Past Next, a stream took seven times the processor
 * time to begin, and what Next had made stayed for as long as the stream (docs/decisions/0029). What a stream has to pass is
 * what everything has to: `request-guard.ts`, then its route. The route answers with a head alone, and once that is sent its viewer
 * writes to the connection of the response as Node made it.
 *
 *   asked --it may pass, and the route takes the response--> head sent --the viewer begins--> handed over --> closed
 *     '--refused by either of them: their answer is sent
 *
 * In development, and at an address that only Next takes for one of these (`/api/v1/%65vents`), Next leads to the same route,
 * which finds no response to take and answers with a web stream.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { handedOver, pathOf, stepBefore, webRequest } from '@/lib/server/http/before';

export interface Handover {
  readonly response: ServerResponse;
  /** Set by who takes the response: called when the head is sent. */
  begin: (() => void) | null;
}

export interface Ways {
  /** Whether a request may go on, and what its answer bears. `refusal`: the answer, where it may not. */
  readonly pass: (
    request: Request,
  ) => Promise<{ readonly refusal: Response | null; readonly headers: Readonly<Record<string, string>> }>;
  /** By path. Each answers GET. */
  readonly routes: Readonly<Record<string, (request: Request) => Promise<Response>>>;
  readonly onBug: (error: unknown) => void;
}

const handovers = new WeakMap<Request, Handover>();

/** Where the answer to this request goes; `null` where Next has to carry it. */
export const takeHandover = (request: Request): Handover | null => handovers.get(request) ?? null;

/** From now on every server of this process answers GET of these routes by itself. Returns what ends that. */
export function answerStreams(ways: Ways): () => void {
  return stepBefore((request, response, goOn) => {
    const path = pathOf(request);
    const route =
      request.method === 'GET' && Object.hasOwn(ways.routes, path) ? ways.routes[path] : undefined;
    if (route === undefined) goOn();
    else
      handOver(request, response, { ...ways, route }).catch((error: unknown) => {
        ways.onBug(error);
        response.destroy();
      });
  });
}

const ignore = () => {};

async function handOver(
  request: IncomingMessage,
  response: ServerResponse,
  { pass, route }: Pick<Ways, 'pass'> & { readonly route: (request: Request) => Promise<Response> },
): Promise<void> {
  // A connection that breaks is nobody's mistake; it closes.
  response.on('error', ignore);
  // Unread, the body of whoever sends one would keep the end of the connection from being heard.
  request.resume();
  const question = webRequest(request);
  const handover: Handover = { response, begin: null };
  handovers.set(question, handover);
  const passage = await pass(question);
  const answer = passage.refusal ?? (await route(question));
  if (response.destroyed) return void answer.body?.cancel();
  for (const [name, value] of Object.entries(passage.headers)) answer.headers.set(name, value);
  const { begin } = handover;
  // No chunks: the viewer writes to the connection itself (`outlet.ts`), and the end of that is the end of the stream.
  if (begin !== null) response.useChunkedEncodingByDefault = false;
  response.writeHead(answer.status, [...answer.headers].flat());
  if (begin === null) return answered(answer, response);
  response.flushHeaders();
  forget(request, response);
  begin();
  response.emit(handedOver);
}

/** A refusal, or a stream whose route did not take the response. */
async function answered({ body }: Response, response: ServerResponse): Promise<void> {
  if (body === null) response.end();
  // Whoever leaves before the end of it has left.
  else
    await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), response).catch(ignore);
}

const nothing: never[] = [];
const nobody = {};

/** Both heads are done with, that of the viewer's program with its cookie: Node would keep them as long as the stream. */
function forget(request: IncomingMessage, response: ServerResponse): void {
  request.headers = nobody;
  request.rawHeaders = nothing;
  // To Node any text says that there was a head. Not documented; should it go, a kilobyte stays.
  (response as { _header?: string })._header = 'sent';
}
