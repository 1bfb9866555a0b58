/**
 * Answers streams before Next sees their request. Through Next, a stream costs far more to begin, and Next's objects
 * stay in memory as long as the stream (docs/decisions/0029). A stream passes the same checks as any request:
 * `request-guard.ts`, then its route. The route answers with a head only; once that is sent, its viewer writes to the
 * connection of Node's response.
 *
 *   asked --it may pass, and the route takes the response--> head sent --the viewer begins--> handed over --> closed
 *     '--refused by either of them: their answer is sent
 *
 * In development, and for a path that only Next decodes to a stream's (`/api/v1/%65vents`), Next calls the same route.
 * The route then finds no response to take, and answers with a web stream.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { handedOver, pathOf, stepBefore, webRequest } from '@/lib/server/http/before';

export interface Handover {
  readonly response: ServerResponse;
  /** Set by the route that takes the response; called once the head is sent. */
  begin: (() => void) | null;
}

export interface Ways {
  /** Whether a request may pass, and the headers of its answer. `refusal`: the answer if it may not. */
  readonly pass: (
    request: Request,
  ) => Promise<{ readonly refusal: Response | null; readonly headers: Readonly<Record<string, string>> }>;
  /** By path. Each answers GET. */
  readonly routes: Readonly<Record<string, (request: Request) => Promise<Response>>>;
  readonly onBug: (error: unknown) => void;
}

const handovers = new WeakMap<Request, Handover>();

/** The response for this request; `null` where Next must carry the answer. */
export const takeHandover = (request: Request): Handover | null => handovers.get(request) ?? null;

/** Answers GET of these routes in every server of this process. The returned function stops this. */
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
  // A broken connection is no bug; it closes.
  response.on('error', ignore);
  // An unread request body would hide the end of the connection.
  request.resume();
  const question = webRequest(request);
  const handover: Handover = { response, begin: null };
  handovers.set(question, handover);
  const passage = await pass(question);
  const answer = passage.refusal ?? (await route(question));
  if (response.destroyed) return void answer.body?.cancel();
  for (const [name, value] of Object.entries(passage.headers)) answer.headers.set(name, value);
  const { begin } = handover;
  // No chunks: the viewer writes to the connection itself (`outlet.ts`), and its end is the end of the stream.
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
  else
    await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), response).catch(ignore);
}

const nothing: never[] = [];
const nobody = {};

/** Drops both heads, including the cookie: Node would keep them as long as the stream. */
function forget(request: IncomingMessage, response: ServerResponse): void {
  request.headers = nobody;
  request.rawHeaders = nothing;
  // Undocumented: any text here means to Node that a head was sent. Without it, a kilobyte stays in memory.
  (response as { _header?: string })._header = 'sent';
}
