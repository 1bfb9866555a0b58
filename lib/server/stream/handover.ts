/**
 * Answers streams without Next. Through Next, a stream costs far more to begin, and Next's objects stay in memory as
 * long as the stream (docs/decisions/0066). A stream passes the same checks as any request: `request-guard.ts`, then
 * its route. The route answers with a head only; once that is sent, its viewer writes to Node's response.
 *
 *   asked --it may pass, and the route takes the response--> head sent --the viewer begins--> handed over --> closed
 *     '--refused by either of them: their answer is sent
 *
 * In development Next calls the same route, which finds no response to take and answers with a web stream.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface Handover {
  readonly response: ServerResponse;
  /** Set by the route that takes the response; called once the head is sent. */
  begin: (() => void) | null;
}

export interface StreamWay {
  /** The decision on a request, with the headers of its answer. `refusal`: the answer if it may not pass. */
  readonly pass: (
    request: Request,
  ) => Promise<{ readonly refusal: Response | null; readonly headers: Readonly<Record<string, string>> }>;
  readonly route: (request: Request) => Promise<Response>;
}

const handovers = new WeakMap<Request, Handover>();

/** The response for this request; `null` where Next must carry the answer. */
export const takeHandover = (request: Request): Handover | null => handovers.get(request) ?? null;

const ignore = () => {};

/** Resolves when the head of a stream, or the whole of another answer, is sent. `asked`: the same request. */
export async function answerStream(
  {
    request,
    response,
    asked,
  }: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly asked: Request },
  { pass, route }: StreamWay,
): Promise<void> {
  // A broken connection is no bug; it closes.
  response.on('error', ignore);
  // An unread request body would hide the end of the connection.
  request.resume();
  const handover: Handover = { response, begin: null };
  handovers.set(asked, handover);
  const passage = await pass(asked);
  const answer = passage.refusal ?? (await route(asked));
  if (response.destroyed) return void answer.body?.cancel();
  for (const [name, value] of Object.entries(passage.headers)) answer.headers.set(name, value);
  const { begin } = handover;
  // Events need no frames of chunks: the end of the connection is the end of the stream.
  if (begin !== null) response.removeHeader('transfer-encoding');
  response.writeHead(answer.status, [...answer.headers].flat());
  if (begin === null) return answered(answer, response);
  response.flushHeaders();
  // Node would keep them, the cookie too, as long as the stream.
  request.headers = noHeaders;
  request.rawHeaders = nothing;
  begin();
}

const nothing: never[] = [];
const noHeaders = {};

/** A refusal, or a stream whose route did not take the response. */
async function answered({ body }: Response, response: ServerResponse): Promise<void> {
  if (body === null) response.end();
  else
    await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), response).catch(ignore);
}
